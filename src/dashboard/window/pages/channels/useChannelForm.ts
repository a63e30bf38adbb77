import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Script } from '#contract/script.ts'
import { issuesOf, problemOf } from '#dashboard/api/problem.ts'
import {
  brokenFields,
  type ChannelDraft,
  changedFields,
  changedSettings,
  draftOf,
  isChanged,
  issuesByField,
  missingFields,
  type ProviderRow,
  sealFields,
  writeBody,
} from '#dashboard/form/channelForm.ts'
import { saveChannel } from '#dashboard/form/scriptWrite.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { callsOf, keyOf, useAddress, useHere } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { signedOut } from '../../data/signal.ts'
import { lastSave } from './lastSave.ts'

/** A new channel of a provider, or a saved one. */
export type ChannelFormOf = { tagId: string; provider: ProviderRow; script?: Script }
/** The issue of each field; an empty name for issues without a field. */
export type FormIssues = Record<string, string>

/** Asks before leaving the page with unsaved changes. */
function useLeaveQuestion(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return undefined
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isAsked])
}

/** Saves the form: seals the changed secrets, and returns the channel id, or throws as the call does. */
function useSave({ tagId, provider, script }: ChannelFormOf) {
  const here = useHere()
  return async (draft: ChannelDraft, shouldDeploy: boolean, isForced: boolean): Promise<string> => {
    const rows = changedFields(provider, draft, script)
    const sealFor = { environment: here.environment, teamId: here.teamId, key: here.me.encryptionKey }
    const secrets = await sealFields(provider, rows, draft, sealFor)
    const api = callsOf(here)
    const patch = { ...changedSettings(provider, draft, script), shouldDeploy, ...(secrets.length > 0 && { secrets }) }
    const saved = script
      ? await saveChannel(api, { script, tagId, ...(!isForced && { ifMatch: script.version }) }, patch)
      : await api.createScript({ body: writeBody(provider, tagId, draft, secrets, shouldDeploy) })
    for (const name of ['scripts', 'channels', 'script', 'draft'])
      void queries.invalidateQueries({ queryKey: keyOf(here, [name]) })
    lastSave.value = saved
    return saved.scriptId
  }
}

/** The draft, its issues, and how it is saved. `element` is the form, for the focus. */
export function useChannelForm(of: ChannelFormOf, element: { current: HTMLFormElement | null }) {
  const { tagId, provider, script } = of
  const { route } = useLocation()
  const address = useAddress()
  const [draft, setDraft] = useState(() => draftOf(provider, script))
  const [issues, setIssues] = useState<FormIssues>({})
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState<'draft' | 'deploy' | undefined>()
  const [conflict, setConflict] = useState<{ shouldDeploy: boolean }>()
  const save = useSave(of)
  useLeaveQuestion(busy === undefined && isChanged(provider, draft, script))
  const showIssues = (found: FormIssues) => {
    setIssues(found)
    const first = '[aria-invalid=true], .invalid input'
    requestAnimationFrame(() => element.current?.querySelector<HTMLElement>(first)?.focus())
  }
  const showProblem = (problem: unknown, shouldDeploy: boolean) => {
    const { kind } = problemOf(problem)
    if (kind === 'changedMeanwhile') return setConflict({ shouldDeploy })
    if (kind === 'signedOut') signedOut.value = true
    const found = issuesByField(issuesOf(problem), changedFields(provider, draft, script), provider)
    if (Object.keys(found).length > 0) showIssues(found)
    return Object.keys(found).length === 0 || found[''] ? setError(problem) : undefined
  }
  const submit = async (shouldDeploy: boolean, isForced = false) => {
    setError(undefined)
    setConflict(undefined)
    const wrong = Object.fromEntries([
      ...missingFields(provider, draft).map((name) => [name, words.missing]),
      ...brokenFields(provider, draft).map((name) => [name, words.sealedBroken]),
    ])
    if (Object.keys(wrong).length > 0) return showIssues(wrong)
    setIssues({})
    setBusy(shouldDeploy ? 'deploy' : 'draft')
    try {
      const scriptId = await save(draft, shouldDeploy, isForced)
      route(address('channel', { tagId, scriptId }))
    } catch (problem) {
      showProblem(problem, shouldDeploy)
    }
    return setBusy(undefined)
  }
  return { draft, setDraft, issues, error, busy, conflict, setConflict, submit }
}
export type ChannelFormState = ReturnType<typeof useChannelForm>
