import { useState } from 'preact/hooks'
import type { PublishedPolicy } from '#contract/operator.ts'
import type { PolicyType } from '#contract/policy.ts'
import { operatorWords as words } from '#dashboard/words/en/account.ts'
import { policyWords } from '#dashboard/words/en/govern.ts'
import { useAction } from '../../data/action.ts'
import { useRead } from '../../data/here.tsx'
import { Cards } from '../../parts/cards.tsx'
import { DialogButton, FormDialog } from '../../parts/formDialog.tsx'
import { CheckRow, SelectField, TextField } from '../../parts/inputs.tsx'
import { ListPanel } from '../../parts/pages.tsx'
import { Time } from '../../parts/time.tsx'

const types: readonly PolicyType[] = ['TERMS_AND_CONDITIONS', 'PRIVACY_POLICY', 'DATA_PROCESSING_AGREEMENT']

function PublishDialog({ onClose }: { onClose: () => void }) {
  const action = useAction('publishedPolicies', 'policies')
  const [draft, setDraft] = useState({ policyType: types[0]!, version: '', url: '', required: false })
  const issues = action.issues('version', 'url')
  const publish = async () => {
    const body = { ...draft, version: draft.version.trim(), url: draft.url.trim() || null }
    if (await action.run((api) => api.publishPolicy({ body }))) onClose()
  }
  return (
    <FormDialog
      title={words.publishTitle}
      label={words.publish}
      isNarrow
      action={action}
      issues={issues}
      isReady={draft.version.trim() !== ''}
      onSubmit={publish}
      onClose={onClose}
    >
      <SelectField
        label={words.policyType}
        options={types.map((type) => [type, policyWords.name(type)])}
        value={draft.policyType}
        onChange={(policyType) => setDraft({ ...draft, policyType })}
      />
      <TextField
        label={words.policyVersion}
        help={words.versionHint}
        issue={issues.version}
        value={draft.version}
        onChange={(version) => setDraft({ ...draft, version })}
      />
      <TextField
        label={words.policyUrl}
        help={words.policyUrlHint}
        issue={issues.url}
        value={draft.url}
        isOptional
        onChange={(url) => setDraft({ ...draft, url })}
      />
      <CheckRow
        label={words.required}
        checked={draft.required}
        onChange={(required) => setDraft({ ...draft, required })}
      />
    </FormDialog>
  )
}

function PolicyName({ of: { policyType, url } }: { of: PublishedPolicy }) {
  const name = policyWords.name(policyType)
  if (!url) return <>{name}</>
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {name}
    </a>
  )
}

const PolicyVersion = ({ of: { version, isLatest, required } }: { of: PublishedPolicy }) => (
  <span class="chipRow">
    {version} {isLatest && <span class="chip">{words.latest}</span>}
    {required && <span class="chip">{words.requiredMark}</span>}
  </span>
)

/** The published versions of policies, and a way to publish another. */
export function Policies() {
  const reading = useRead(['publishedPolicies'], (api) => api.listPublishedPolicies())
  return (
    <ListPanel
      title={words.policies}
      actions={
        <DialogButton isSmall dialog={(close) => <PublishDialog onClose={close} />}>
          {words.publish}
        </DialogButton>
      }
      of={reading}
      rowsOf={({ policies }) => policies.toReversed()}
      none={words.noPolicies}
    >
      {(rows) => (
        <Cards
          label={words.policies}
          columns={[
            { name: 'policy', label: words.policyType, cell: (policy) => <PolicyName of={policy} /> },
            { name: 'version', label: words.policyVersion, cell: (policy) => <PolicyVersion of={policy} /> },
            { name: 'at', label: words.publishedAt, cell: ({ publishedAt }) => <Time at={publishedAt} /> },
          ]}
          rows={rows}
          keyOf={({ policyType, version }) => `${policyType} ${version}`}
        />
      )}
    </ListPanel>
  )
}
