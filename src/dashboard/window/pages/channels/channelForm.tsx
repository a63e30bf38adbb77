import { ExternalLink } from 'lucide'
import { useRef } from 'preact/hooks'
import { type ChannelDraft, isAsked, isRequiredIn, type ProviderRow } from '#dashboard/form/channelForm.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { list } from '#dashboard/words/format.ts'
import { fieldsOf } from '../../data/form.ts'
import { useAddress, useMay } from '../../data/here.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Radios, TextField } from '../../parts/inputs.tsx'
import { lazyPart } from '../../parts/lazyPart.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemLine, Skeleton } from '../../parts/view.tsx'
import { SecretField } from './fields.tsx'
import { RegionField } from './regionField.tsx'
import { type ChannelFormOf, type ChannelFormState, type FormIssues, useChannelForm } from './useChannelForm.ts'

function Links({ provider: { links, dashboardUrl } }: { provider: ProviderRow }) {
  const shown = [
    [links?.documentation, words.documentation],
    [links?.onboarding, words.where],
    [dashboardUrl, words.vendorPage],
  ] as const
  return (
    <p class="line formLinks">
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

type PartProps = {
  provider: ProviderRow
  draft: ChannelDraft
  issues: FormIssues
  onChange: (next: ChannelDraft) => void
}

/** The fields of the chosen alternative, then the fields of every alternative. */
const asked = ({ secrets = [] }: ProviderRow, draft: ChannelDraft) => [
  ...secrets.filter((row) => row.group && isAsked(row, draft)),
  ...secrets.filter((row) => !row.group),
]

/** `Consumer key, consumer secret and access token` */
const credentialSetName = ({ credentialSets, secrets }: ProviderRow, at: number) =>
  list(
    (credentialSets?.[at] ?? []).map(
      (variable) => secrets?.find((row) => row.variable === variable)?.label ?? variable,
    ),
  )

/** The variables of the provider. */
const Connection = ({ provider, draft, issues, onChange }: PartProps) => (
  <Panel title={words.secretsTitle}>
    <Links provider={provider} />
    {provider.credentialSets && (
      <Radios
        variant="inline"
        legend={words.credentials}
        name="credentialSet"
        values={provider.credentialSets.map((_, at) => `${at}`)}
        value={`${draft.credentialSet ?? 0}`}
        wordOf={(at) => credentialSetName(provider, Number(at))}
        onChange={(at) => onChange({ ...draft, credentialSet: Number(at) })}
      />
    )}
    {asked(provider, draft).map((row) => (
      <SecretField
        key={row.variable}
        row={{ ...row, optional: !isRequiredIn(row, draft) }}
        providerId={provider.value ?? ''}
        value={draft.fields[row.variable]!}
        issue={issues[row.variable]}
        onChange={(value) => onChange({ ...draft, fields: { ...draft.fields, [row.variable]: value } })}
      />
    ))}
  </Panel>
)

/** Name, consent, regions and value mode. */
function Settings({ provider, draft, issues, onChange }: PartProps) {
  const field = fieldsOf(draft, issues, (next) => onChange({ ...draft, ...next }))
  return (
    <Panel title={words.settings}>
      <TextField {...field('name')} label={frameWords.name} maxLength={200} />
      {(provider.consentCategory?.length ?? 0) > 0 && (
        <Radios
          {...field('consentCategory')}
          variant="inline"
          legend={words.consent}
          values={provider.consentCategory!}
          wordOf={words.category}
        />
      )}
      {!provider.hideGeoRegions && <RegionField {...field('geoRegions')} />}
      {!provider.hidePurchaseValueMode && (
        <Radios
          {...field('purchaseValueMode')}
          variant="inline"
          legend={words.valueMode}
          values={['gross', 'net']}
          wordOf={(mode) => words.valueModes[mode]}
        />
      )}
    </Panel>
  )
}

/** Cancel, save as draft, save and deploy; and the reason if a save was refused. */
function FormActions({ form, back }: { form: ChannelFormState; back: string }) {
  const { why } = useMay('script:write', 'secret:write')
  const { issues, error, busy, submit } = form
  const wrong = Object.keys(issues).length
  return (
    <div class="formActions">
      {wrong > 0 && (
        <p class="fieldIssue" role="alert">
          {issues[''] ?? words.mendFields(wrong)}
        </p>
      )}
      {error !== undefined && !issues[''] && <ProblemLine error={error} />}
      <LinkButton href={back} variant="quiet">
        {frameWords.cancel}
      </LinkButton>
      <Button why={why} isBusy={busy === 'draft'} onClick={() => void submit(false)}>
        {frameWords.saveDraft}
      </Button>
      <Button type="submit" variant="primary" why={why} isBusy={busy === 'deploy'}>
        {busy === 'deploy' ? words.saving : frameWords.saveDeploy}
      </Button>
    </div>
  )
}

/** The rule builder is loaded after the form: most channels have no rules. */
const Rules = lazyPart(
  () => import('./rulesPanel.tsx').then(({ RulesPanel }) => RulesPanel),
  () => <Skeleton rows={3} />,
)

/** The part that builds requests from the form is also loaded later. */
const TryPanel = lazyPart(
  () => import('./tryPanel.tsx').then((panel) => panel.TryPanel),
  () => <Skeleton rows={3} />,
)

const ConflictDialog = lazyPart(
  () => import('./conflictDialog.tsx').then((dialog) => dialog.ConflictDialog),
  () => null,
)

/** The form of a channel, built only from its provider's row in the manifest. */
export function ChannelForm({ tagId, provider, script }: ChannelFormOf) {
  const address = useAddress()
  const element = useRef<HTMLFormElement>(null)
  const form = useChannelForm({ tagId, provider, ...(script && { script }) }, element)
  const { draft, issues, conflict, submit } = form
  const part = { provider, draft, issues, onChange: form.setDraft }
  const back = script ? address('channel', { tagId, scriptId: script.scriptId }) : address('channels', { tagId })
  return (
    <form
      class="stack channelForm"
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit(true)
      }}
    >
      <div class="columns formColumns">
        <div class="stack">
          <Connection {...part} />
          <Settings {...part} />
          <Rules rules={draft.rules} issue={issues.rules} onChange={(rules) => form.setDraft({ ...draft, rules })} />
        </div>
        <TryPanel tagId={tagId} provider={provider} draft={draft} {...(script && { script })} />
      </div>
      {conflict && script && (
        <ConflictDialog
          provider={provider}
          draft={draft}
          scriptId={script.scriptId}
          onMine={() => void submit(conflict.shouldDeploy, true)}
          onClose={() => form.setConflict(undefined)}
        />
      )}
      <FormActions form={form} back={back} />
    </form>
  )
}
