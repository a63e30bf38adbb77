import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Script } from '#contract/script.ts'
import { sealEntry } from '#contract/seal.ts'
import type { SimulatedEvent, SimulateRequest } from '#contract/simulate.ts'
import { parseJsonField } from '#dashboard/form/jsonField.ts'
import { type SampleName, sampleEvent } from '#dashboard/form/sampleEvent.ts'
import { saveChannel } from '#dashboard/form/scriptWrite.ts'
import { starterCode } from '#dashboard/form/starterCode.ts'
import { playgroundWords as words } from '#dashboard/words/en/playground.ts'
import { type Action, useAction } from '../../data/action.ts'
import { useAddress, useHere } from '../../data/here.tsx'

export type CodeKind = 'playground' | 'webhook'
export const codeVariables = { playground: 'PLAYGROUND_CODE', webhook: 'WEBHOOK_CODE' } as const

/** The fields of the page as texts. */
export type PlaygroundDraft = {
  kind: CodeKind
  code: string
  event: string
  user: string
  secrets: string
  replies: string
  /** The webhook runs for a call from outside instead of an event. */
  isOutside: boolean
  headers: string
  body: string
}

const pretty = (value: unknown) => JSON.stringify(value, undefined, 2)

/** The event of a sample without its consent, which code does not receive. */
export const sampleText = (name: SampleName) => {
  const { eventName, data } = sampleEvent(name)
  return pretty({ eventName, data })
}

export const firstDraft = (): PlaygroundDraft => ({
  kind: 'playground',
  code: starterCode.playground,
  event: sampleText('Purchase'),
  user: pretty({ email: 'test@example.com' }),
  secrets: '',
  replies: '',
  isOutside: false,
  headers: '',
  body: '',
})

const jsonFields = {
  event: words.eventJson,
  user: words.userJson,
  secrets: words.secrets,
  replies: words.replies,
  headers: words.headersJson,
} as const
type JsonFieldName = keyof typeof jsonFields

/** The fields that are not valid JSON, each with a message. */
export const brokenFields = (draft: PlaygroundDraft): Partial<Record<JsonFieldName, string>> =>
  Object.fromEntries(
    (Object.keys(jsonFields) as JsonFieldName[]).flatMap((name) =>
      parseJsonField(draft[name]).isBroken ? [[name, words.broken(jsonFields[name])]] : [],
    ),
  )

/** The body of a call from outside: parsed if it is JSON, else the text itself. */
const outsideBody = (text: string) => {
  const { value, isBroken } = parseJsonField(text)
  return isBroken ? text : value
}

function requestOf(draft: PlaygroundDraft, script: Script | undefined): SimulateRequest {
  const { kind, code, isOutside } = draft
  const given = (name: JsonFieldName) => parseJsonField(draft[name]).value
  const [event, user, secrets, replies] = [given('event'), given('user'), given('secrets'), given('replies')]
  const call = { headers: given('headers') ?? {}, body: outsideBody(draft.body) }
  return {
    code,
    provider: kind,
    ...(kind === 'webhook' && isOutside ? { requests: [call] } : { events: [event] }),
    ...(user !== undefined && { user }),
    ...(script ? { scriptId: script.scriptId } : secrets !== undefined && { secrets }),
    ...(replies !== undefined && { replies }),
    // The server checks what the person typed.
  } as SimulateRequest
}

/** Runs the code in the sandbox of the server. */
export function useRun(
  draft: PlaygroundDraft,
  script: Script | undefined,
): {
  action: Action
  results: readonly SimulatedEvent[] | undefined
  run: () => Promise<void>
} {
  const action = useAction()
  const [results, setResults] = useState<readonly SimulatedEvent[]>()
  const run = async () => {
    if (action.isBusy || Object.keys(brokenFields(draft)).length > 0) return
    const answer = await action.run((api) => api.simulate({ body: requestOf(draft, script) }))
    setResults(answer?.results)
  }
  return { action, results, run }
}

type SaveOptions = { tagId: string; draft: PlaygroundDraft; script: Script | undefined; isPublic: boolean }
/** A webhook that was just created: its address, and its token unless it is public. Shown once. */
type MadeWebhook = { scriptId: string; url: string; token: string | undefined }

/** A token of 256 random bits. */
const newToken = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Saves the code to the channel, or as a new channel. The code is sealed like every variable. */
export function useSaveCode({ tagId, draft: { kind, code }, script, isPublic }: SaveOptions) {
  const { environment, teamId, me } = useHere()
  const { route } = useLocation()
  const address = useAddress()
  const action = useAction('scripts', 'script', 'channels', 'deployments', 'draft')
  const [isSaved, setSaved] = useState(false)
  const [made, setMade] = useState<MadeWebhook>()
  const open = (scriptId: string) => route(address('channel', { tagId, scriptId }))
  const save = async (shouldDeploy: boolean, name: string) => {
    setSaved(false)
    const token = script || kind !== 'webhook' || isPublic ? undefined : newToken()
    const saved = await action.run(async (api) => {
      const seal = (variable: string, plaintext: string) =>
        sealEntry({ environment, teamId, providerId: kind, variable, type: 'TEXT', key: me.encryptionKey, plaintext })
      const secrets = [
        await seal(codeVariables[kind], code),
        ...(token === undefined ? [] : [await seal('WEBHOOK_TOKEN', token)]),
      ]
      if (!script) {
        const made = { name, providerId: kind, tagId, consentCategory: 'functional', shouldDeploy, secrets }
        return api.createScript({ body: made })
      }
      return saveChannel(api, { script, tagId, ifMatch: script.version }, { shouldDeploy, secrets })
    })
    if (!saved) return
    setSaved(true)
    const { scriptId, webhookUrl } = saved
    if (script) return
    if (webhookUrl === undefined) open(scriptId)
    else setMade({ scriptId, url: webhookUrl, token })
  }
  return { action, isSaved, save, made, open: () => made && open(made.scriptId) }
}
