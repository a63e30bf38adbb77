import { CircleX, KeyRound } from 'lucide'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Client } from '#contract/client.ts'
import type { Script } from '#contract/script.ts'
import type { TestJourney } from '#contract/testEvent.ts'
import { issuesOf } from '#dashboard/api/problem.ts'
import {
  type ChannelDraft,
  changedFields,
  draftOf,
  type FieldRow,
  issuesByField,
  type ProviderRow,
  sealFields,
} from '#dashboard/form/channelForm.ts'
import { keyFields } from '#dashboard/form/keyFields.ts'
import { sampleNames } from '#dashboard/form/sampleEvent.ts'
import { saveChannel } from '#dashboard/form/scriptWrite.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { ago } from '#dashboard/words/format.ts'
import { useAction } from '../../data/action.ts'
import { useAddress, useHere, useMay, useRead } from '../../data/here.tsx'
import { now } from '../../data/signal.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { SecretField } from './fields.tsx'
import { TestResult } from './testResult.tsx'
import { tryDraft } from './tryPanel.tsx'

type ReplaceProps = { tagId: string; provider: ProviderRow; script: Script; field: string }

/** Whether the vendor accepted the test event. */
const isAccepted = ({ deliveries }: TestJourney) =>
  deliveries.length > 0 && deliveries.every(({ status }) => status === 'delivered' || status === 'simulated')

/** A sample that the provider accepts: a purchase if it accepts purchases. */
const sampleFor = ({ events }: ProviderRow) =>
  sampleNames.find((name) => name === 'Purchase' && (!events || name in events)) ??
  sampleNames.find((name) => events && name in events) ??
  'Purchase'

/** Tests the new value with a test event, and saves it if the vendor accepts the event. */
function useReplace({ tagId, provider, script }: ReplaceProps, draft: ChannelDraft, canTry: boolean) {
  const here = useHere()
  const { route } = useLocation()
  const address = useAddress()
  const action = useAction('scripts', 'channels', 'script', 'draft')
  const [busy, setBusy] = useState<'try' | 'save' | undefined>()
  const [tried, setTried] = useState<TestJourney>()
  const save = async (api: Client) => {
    const sealFor = { environment: here.environment, teamId: here.teamId, key: here.me.encryptionKey }
    const secrets = await sealFields(provider, changedFields(provider, draft, script), draft, sealFor)
    await saveChannel(api, { script, tagId, ifMatch: script.version }, { shouldDeploy: true, secrets })
  }
  const run = async (isTried: boolean) => {
    setBusy(isTried ? 'try' : 'save')
    setTried(undefined)
    const done = await action.run(async (api) => {
      const of = { tagId, provider, draft, script }
      const journey = isTried && canTry ? await tryDraft(here, of, sampleFor(provider), true) : undefined
      if (journey && !isAccepted(journey)) return { refused: journey }
      await save(api)
      return {}
    })
    setTried(done?.refused)
    if (done && !done.refused) route(address('channel', { tagId, scriptId: script.scriptId }))
    setBusy(undefined)
  }
  return { busy, tried, error: action.error, run }
}

/** Why the vendor refused the current key, and when. */
function Why({ tagId, script: { scriptId } }: Pick<ReplaceProps, 'tagId' | 'script'>) {
  const channels = useRead(['channels', tagId], (api) => api.listChannels({ tagId }), { everyMs: 15_000 })
  const status = channels.data?.channels.find((each) => each.scriptId === scriptId)
  const at = status?.lastError?.at ?? status?.since
  if (status?.state !== 'keyRejected' || at === undefined) return null
  return (
    <p class="row notice bad">
      <Icon of={KeyRound} />
      <span>{words.replaceWhy(ago(at, now.value), status.lastError?.message)}</span>
    </p>
  )
}

const opened = (draft: ChannelDraft, { variable }: FieldRow): ChannelDraft => ({
  ...draft,
  fields: { ...draft.fields, [variable]: { text: '', isKept: false } },
})

/** The vendor's answer to a value that it refused. */
const Tried = ({ journey }: { journey: TestJourney | undefined }) =>
  journey ? (
    <div class="stack">
      <p class="fieldIssue" role="alert">
        <Icon of={CircleX} /> {words.replaceFailed}
      </p>
      <TestResult journey={journey} />
    </div>
  ) : null

/** Replaces one secret of a channel: its field, why the current value was refused, and a test before saving. */
export function ReplaceKey(props: ReplaceProps) {
  const { tagId, provider, script, field } = props
  const address = useAddress()
  const rows = keyFields(provider, script, field)
  const [draft, setDraft] = useState(() => {
    const saved = draftOf(provider, script)
    return rows[0] ? opened(saved, rows[0]) : saved
  })
  const send = useMay('event:write')
  const { why } = useMay('script:write', 'secret:write')
  const canTry = send.may && provider.value !== 'webhook'
  const { busy, tried, error, run } = useReplace(props, draft, canTry)
  const issues = issuesByField(issuesOf(error), changedFields(provider, draft, script), provider)
  const isEmpty = !rows.some(({ variable }) => draft.fields[variable]?.text || draft.fields[variable]?.sealed)
  const { scriptId, name } = script
  return (
    <form
      class="narrowForm stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!why && !isEmpty && !busy) void run(true)
      }}
    >
      <Why tagId={tagId} script={script} />
      <Panel title={words.replaceTitle(rows[0]?.label ?? rows[0]?.variable ?? words.secretsTitle, name)}>
        {rows.map((row) => (
          <SecretField
            key={row.variable}
            row={row}
            providerId={script.providerId}
            value={draft.fields[row.variable]!}
            issue={issues[row.variable]}
            onChange={(value) => setDraft({ ...draft, fields: { ...draft.fields, [row.variable]: value } })}
          />
        ))}
        <p class="hint">{canTry ? words.replaceTryNote : words.replaceNoTry}</p>
        {error !== undefined && Object.keys(issues).every((issue) => issue === '') && <ProblemLine error={error} />}
        <Tried journey={tried} />
        <div class="row">
          <Button type="submit" variant="primary" why={why} isBusy={busy === 'try'} isDisabled={isEmpty}>
            {canTry ? words.replaceTry : frameWords.saveDeploy}
          </Button>
          {tried && (
            <Button why={why} isBusy={busy === 'save'} onClick={() => void run(false)}>
              {words.replaceAnyway}
            </Button>
          )}
          <LinkButton variant="quiet" href={address('editChannel', { tagId, scriptId })}>
            {words.replaceAll}
          </LinkButton>
        </div>
      </Panel>
    </form>
  )
}
