import type { PublishedPolicy } from '#contract/operator.ts'
import type { PolicyType } from '#contract/policy.ts'
import { operatorWords as words } from '#dashboard/words/en/account.ts'
import { policyWords } from '#dashboard/words/en/govern.ts'
import { useRead } from '../../data/here.tsx'
import { DialogButton, FormDialog } from '../../parts/formDialog.tsx'
import { CheckRow, SelectField, TextField } from '../../parts/inputs.tsx'
import { ListPanel } from '../../parts/pages.tsx'
import { Time } from '../../parts/time.tsx'

const types: readonly PolicyType[] = ['TERMS_AND_CONDITIONS', 'PRIVACY_POLICY', 'DATA_PROCESSING_AGREEMENT']

const PublishDialog = ({ onClose }: { onClose: () => void }) => (
  <FormDialog
    title={words.publishTitle}
    label={words.publish}
    isNarrow
    start={{ policyType: types[0]!, version: '', url: '', required: false }}
    isReady={({ version }) => version.trim() !== ''}
    changes={['publishedPolicies', 'policies']}
    call={(api, { version, url, ...policy }) =>
      api.publishPolicy({ body: { ...policy, version: version.trim(), url: url.trim() || null } })
    }
    onClose={onClose}
  >
    {({ field }) => (
      <>
        <SelectField
          {...field('policyType')}
          label={words.policyType}
          options={types.map((type) => [type, policyWords.name(type)])}
        />
        <TextField {...field('version')} label={words.policyVersion} help={words.versionHint} />
        <TextField {...field('url')} label={words.policyUrl} help={words.policyUrlHint} isOptional />
        <CheckRow {...field('required')} label={words.required} />
      </>
    )}
  </FormDialog>
)

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
  <span class="row">
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
      columns={[
        { name: 'policy', label: words.policyType, cell: (policy) => <PolicyName of={policy} /> },
        { name: 'version', label: words.policyVersion, cell: (policy) => <PolicyVersion of={policy} /> },
        { name: 'at', label: words.publishedAt, cell: ({ publishedAt }) => <Time at={publishedAt} /> },
      ]}
      keyOf={({ policyType, version }) => `${policyType} ${version}`}
    />
  )
}
