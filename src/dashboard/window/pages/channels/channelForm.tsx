import { ExternalLink } from 'lucide'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Script } from '#contract/script.ts'
import { issuesOf, problemOf } from '#dashboard/api/problem.ts'
import {
  type ChannelDraft,
  changedFields,
  draftOf,
  isChanged,
  issuesByField,
  missingFields,
  type ProviderRow,
  sealFields,
  writeBody,
} from '#dashboard/form/channelForm.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { callsOf, keyOf, useAddress, useHere, useMay } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { signedOut } from '../../data/signal.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { ConflictDialog } from './conflictDialog.tsx'
import { Field, SecretField } from './fields.tsx'
import { RegionField } from './regionField.tsx'
import { TryPanel } from './tryPanel.tsx'

type FormProps = { tagId: string; provider: ProviderRow; script?: Script }
type Issues = Record<string, string>

/** Asks before the page is left while something is not saved. */
function useLeaveQuestion(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return undefined
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isAsked])
}

function Links({ provider: { links, dashboardUrl } }: { provider: ProviderRow }) {
  const shown = [
    [links?.documentation, words.documentation],
    [links?.onboarding, words.where],
    [dashboardUrl, words.vendorPage],
  ] as const
  return (
    <p class="formLinks">
      {shown.map(
        ([href, text]) =>
          href && (
            <a key={text} href={href} target="_blank" rel="noreferrer">
              {text}
              <Icon of={ExternalLink} />
            </a>
          ),
      )}
    </p>
  )
}

type PartProps = { provider: ProviderRow; draft: ChannelDraft; issues: Issues; onChange: (next: ChannelDraft) => void }

/** The variables of the provider. */
const Connection = ({ provider, draft, issues, onChange }: PartProps) => (
  <Panel title={words.secretsTitle}>
    <Links provider={provider} />
    {provider.secrets?.map((row) => (
      <SecretField
        key={row.variable}
        row={row}
        providerId={provider.value ?? ''}
        value={draft.fields[row.variable]!}
        issue={issues[row.variable]}
        onChange={(value) => onChange({ ...draft, fields: { ...draft.fields, [row.variable]: value } })}
      />
    ))}
  </Panel>
)

function Radios<Value extends string>({
  legend,
  name,
  values,
  value,
  wordOf,
  onChange,
}: {
  legend: string
  name: string
  values: readonly Value[]
  value: string
  wordOf: (value: Value) => string
  onChange: (value: Value) => void
}) {
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      <div class="radios">
        {values.map((each) => (
          <label key={each} class="checkRow">
            <input type="radio" name={name} checked={value === each} onChange={() => onChange(each)} />
            {wordOf(each)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** Name, consent, regions and value mode. */
function Settings({ provider, draft, issues, onChange }: PartProps) {
  return (
    <Panel title={words.settings}>
      <Field label={words.name} issue={issues.name}>
        {({ id, describedBy, isInvalid }) => (
          <input
            type="text"
            id={id}
            name="name"
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            value={draft.name}
            maxLength={200}
            autocomplete="off"
            onInput={(event) => onChange({ ...draft, name: event.currentTarget.value })}
          />
        )}
      </Field>
      {(provider.consentCategory?.length ?? 0) > 0 && (
        <Radios
          legend={words.consent}
          name="consentCategory"
          values={provider.consentCategory!}
          value={draft.consentCategory}
          wordOf={words.category}
          onChange={(consentCategory) => onChange({ ...draft, consentCategory })}
        />
      )}
      {!provider.hideGeoRegions && (
        <RegionField
          text={draft.geoRegions}
          issue={issues.geoRegions}
          onChange={(geoRegions) => onChange({ ...draft, geoRegions })}
        />
      )}
      {!provider.hidePurchaseValueMode && (
        <Radios
          legend={words.valueMode}
          name="purchaseValueMode"
          values={['gross', 'net'] as const}
          value={draft.purchaseValueMode}
          wordOf={(mode) => words.valueModes[mode]}
          onChange={(purchaseValueMode) => onChange({ ...draft, purchaseValueMode })}
        />
      )}
    </Panel>
  )
}

/** Saves the form: seals what was changed, and returns the id of the channel, or throws as the call does. */
function useSave({ tagId, provider, script }: FormProps) {
  const here = useHere()
  return async (draft: ChannelDraft, shouldDeploy: boolean, isForced: boolean): Promise<string> => {
    const rows = changedFields(provider, draft, script)
    const sealFor = { environment: here.environment, teamId: here.teamId, key: here.me.encryptionKey }
    const secrets = await sealFields(provider, rows, draft, sealFor)
    const body = writeBody(provider, tagId, draft, secrets, shouldDeploy)
    const api = callsOf(here)
    const { scriptId } = script
      ? await api.updateScript({ scriptId: script.scriptId, body, ...(!isForced && { ifMatch: script.version }) })
      : await api.createScript({ body })
    for (const name of ['scripts', 'channels', 'script'])
      void queries.invalidateQueries({ queryKey: keyOf(here, [name]) })
    return scriptId
  }
}

/** The form of a channel, made from the row of its provider in the manifest alone. */
export function ChannelForm({ tagId, provider, script }: FormProps) {
  const { route } = useLocation()
  const address = useAddress()
  const { why } = useMay('script:write', 'secret:write')
  const [draft, setDraft] = useState(() => draftOf(provider, script))
  const [issues, setIssues] = useState<Issues>({})
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState<'draft' | 'deploy' | undefined>()
  const [conflict, setConflict] = useState<{ shouldDeploy: boolean }>()
  const form = useRef<HTMLFormElement>(null)
  const save = useSave({ tagId, provider, ...(script && { script }) })
  useLeaveQuestion(busy === undefined && isChanged(provider, draft, script))
  const refuse = (found: Issues) => {
    setIssues(found)
    requestAnimationFrame(() =>
      form.current?.querySelector<HTMLElement>('[aria-invalid=true], .invalid input')?.focus(),
    )
  }
  const submit = async (shouldDeploy: boolean, isForced = false) => {
    setError(undefined)
    const missing = missingFields(provider, draft)
    if (missing.length > 0) return refuse(Object.fromEntries(missing.map((name) => [name, words.missing])))
    setIssues({})
    setBusy(shouldDeploy ? 'deploy' : 'draft')
    try {
      const scriptId = await save(draft, shouldDeploy, isForced)
      route(address('channel', { tagId, scriptId }))
    } catch (problem) {
      if (problemOf(problem).kind === 'changedMeanwhile') setConflict({ shouldDeploy })
      const found = issuesByField(issuesOf(problem), changedFields(provider, draft, script), provider)
      if (Object.keys(found).length > 0) refuse(found)
      if (Object.keys(found).length === 0 || found['']) setError(problem)
      if (problemOf(problem).kind === 'signedOut') signedOut.value = true
    }
    return setBusy(undefined)
  }
  const part = { provider, draft, issues, onChange: setDraft }
  const back = script ? address('channel', { tagId, scriptId: script.scriptId }) : address('channels', { tagId })
  return (
    <form
      class="channelForm"
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit(true)
      }}
    >
      <div class="formColumns">
        <div>
          <Connection {...part} />
          <Settings {...part} />
        </div>
        <TryPanel tagId={tagId} provider={provider} draft={draft} {...(script && { script })} />
      </div>
      {conflict && script && (
        <ConflictDialog
          provider={provider}
          draft={draft}
          scriptId={script.scriptId}
          onMine={() => {
            setConflict(undefined)
            void submit(conflict.shouldDeploy, true)
          }}
          onClose={() => setConflict(undefined)}
        />
      )}
      <div class="formActions">
        {Object.keys(issues).length > 0 && (
          <p class="fieldIssue" role="alert">
            {issues[''] ?? words.mendFields(Object.keys(issues).length)}
          </p>
        )}
        {error !== undefined && !issues[''] && <ProblemLine error={error} />}
        <LinkButton href={back} look="quiet">
          {words.cancel}
        </LinkButton>
        <Button why={why} isBusy={busy === 'draft'} onClick={() => void submit(false)}>
          {words.saveDraft}
        </Button>
        <Button type="submit" look="primary" why={why} isBusy={busy === 'deploy'}>
          {busy === 'deploy' ? words.saving : words.saveDeploy}
        </Button>
      </div>
    </form>
  )
}
