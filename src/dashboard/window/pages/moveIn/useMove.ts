import { useRef, useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { SourceName } from '#contract/sourceNames.ts'
import type { TagConfigWrite } from '#contract/tagConfig.ts'
import { issuesOf } from '#dashboard/api/problem.ts'
import type { ProviderRow } from '#dashboard/form/channelForm.ts'
import { type ChannelIssues, channelsOf, type MovedChannel, moveIssues } from '#dashboard/form/moveIn.ts'
import {
  isChangedIn,
  isNothing,
  type MovePlan,
  type MoveTarget,
  moveBody,
  planMove,
  refusedFields,
} from '#dashboard/form/movePlan.ts'
import type { Promotion } from '#dashboard/form/promotion.ts'
import { moveInWords as words } from '#dashboard/words/en/moveIn.ts'
import type { ImportResult } from '#import/importResult.ts'
import { useAction } from '../../data/action.ts'
import { useHere } from '../../data/here.tsx'
import { readScripts } from './promotePanel.tsx'

/** The chosen tag: the id of a saved one, or the name and domain of a new one. */
type TargetDraft = { tagId: string; name: string; domain: string }
type Planned = { plan: MovePlan; body: TagConfigWrite; warnings: string[]; missingScopes: string[] }
export type Moved = { tagId: string; tag: string; channels: number; errors: string[] }

const readTarget = async (api: Client, { tagId, name, domain }: TargetDraft): Promise<MoveTarget> =>
  tagId === '' ? { name, domain } : { tag: await api.readTag({ tagId }), scripts: await readScripts(api, tagId) }

const missingOfTarget = ({ tagId, name, domain }: TargetDraft): Record<string, string> =>
  tagId === ''
    ? {
        ...(name.trim() === '' && { name: words.needed }),
        ...(domain.trim() === '' && { domain: words.needed }),
      }
    : {}

const inWords = (found: ReturnType<typeof moveIssues>): ChannelIssues<string> =>
  Object.fromEntries(
    Object.entries(found).map(([key, fields]) => [
      key,
      Object.fromEntries(Object.entries(fields).map(([name, issue]) => [name, words.issues[issue]])),
    ]),
  )

const focusFirstIssue = () =>
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('main [aria-invalid=true], main .invalid input')?.focus(),
  )

type MoveInput = {
  target: TargetDraft
  channels: readonly MovedChannel[]
  sources: SourceName[]
  settings: Promotion['settings'] | undefined
}

/** Plans and applies. `show` receives the issues by channel and field. */
function useCalls(providers: readonly ProviderRow[], show: (found: ChannelIssues<string>) => void) {
  const here = useHere()
  const plan = async (
    api: Client,
    { target, channels, sources, settings }: MoveInput,
  ): Promise<Planned | undefined> => {
    const to = await readTarget(api, target)
    const missing = missingOfTarget(target)
    const found = inWords(moveIssues(channels, { providers, scripts: 'tag' in to ? to.scripts : [] }))
    if (Object.keys(missing).length > 0) found[''] = missing
    show(found)
    if (Object.keys(found).length > 0) return undefined
    const changes = planMove(channels, to, { sources, providers, settings })
    const sealFor = { environment: here.environment, teamId: here.teamId, key: here.me.encryptionKey }
    const body = await moveBody(changes, to, providers, sealFor)
    try {
      const checked = isNothing(changes) ? { warnings: [], missingScopes: [] } : await api.checkTagConfig({ body })
      return { plan: changes, body, ...checked }
    } catch (problem) {
      show(refusedFields(issuesOf(problem), changes, providers))
      throw problem
    }
  }
  const apply = async (api: Client, { body, plan: { channels, tag } }: Planned, shouldDeploy: boolean) => {
    const written = await api.applyTagConfig({ body: { ...body, ...(!shouldDeploy && { shouldDeploy }) } })
    const saved = here.me.tags.find(({ tagId }) => tagId === written.tagId)
    const changed = channels.filter(isChangedIn).length
    return { tagId: written.tagId, tag: saved?.name ?? tag?.name ?? '', channels: changed, errors: written.errors }
  }
  return { plan, apply }
}

/** The channels to move in, their issues, the plan, and how it is applied. */
export function useMove(providers: readonly ProviderRow[], presetTagId: string) {
  const action = useAction('me', 'tag', 'scripts', 'channels', 'draft')
  const [result, setResult] = useState<ImportResult>()
  const [channels, setChannels] = useState<MovedChannel[]>([])
  const [target, setTarget] = useState<TargetDraft>({ tagId: presetTagId, name: '', domain: '' })
  const [settings, setSettings] = useState<Promotion['settings']>()
  const [issues, setIssues] = useState<ChannelIssues<string>>({})
  const [planned, setPlanned] = useState<Planned>()
  const [moved, setMoved] = useState<Moved>()
  const calls = useCalls(providers, (found) => {
    setIssues(found)
    if (Object.keys(found).length > 0) focusFirstIssue()
  })
  const sources = result?.configuration.tags[0].sources ?? []
  const { tags } = useHere().me
  const version = useRef(0)
  const forget = () => {
    version.current++
    setPlanned(undefined)
    action.forget()
  }
  return {
    ...{ result, channels, target, issues, planned, moved, sources, action },
    begin(found: ImportResult) {
      setResult(found)
      setChannels(channelsOf(found))
      setIssues({})
      setMoved(undefined)
      forget()
    },
    /** Starts with a sandbox tag; a tag of the same name receives it. */
    promote({ result: found, settings: given, name, domain }: Promotion) {
      setSettings(given)
      setResult(found)
      setChannels(channelsOf(found))
      setTarget({ tagId: tags.find((each) => each.name === name)?.tagId ?? '', name, domain })
      forget()
    },
    changeChannel(key: string, next: Partial<MovedChannel>) {
      setChannels(channels.map((each) => (each.key === key ? { ...each, ...next } : each)))
      forget()
    },
    changeTarget(next: Partial<TargetDraft>) {
      setTarget({ ...target, ...next })
      forget()
    },
    async plan() {
      forget()
      const asked = version.current
      const next = await action.run((api) => calls.plan(api, { target, channels, sources, settings }))
      // A change made while the plan was loading is not in the plan.
      if (version.current === asked) setPlanned(next)
    },
    async apply(shouldDeploy: boolean) {
      if (planned) setMoved(await action.run((api) => calls.apply(api, planned, shouldDeploy)))
    },
  }
}
export type MoveState = ReturnType<typeof useMove>
