import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { PublishedPolicy } from '#contract/operator.ts'
import type { PolicyType } from '#contract/policy.ts'
import { issuesOf } from '#dashboard/api/problem.ts'
import { issuesByName } from '#dashboard/form/tagForm.ts'
import { operatorWords as words } from '#dashboard/words/en/account.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { policyWords } from '#dashboard/words/en/govern.ts'
import { useAction } from '../../data/action.ts'
import { useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'

const types: readonly PolicyType[] = ['TERMS_AND_CONDITIONS', 'PRIVACY_POLICY', 'DATA_PROCESSING_AGREEMENT']

type PolicyTextProps = {
  label: string
  help: string
  issue: string | undefined
  value: string
  isOptional?: boolean
  onChange: (next: string) => void
}

const PolicyText = ({ label, help, issue, value, isOptional, onChange }: PolicyTextProps) => (
  <Field label={label} issue={issue} help={help} isOptional={isOptional}>
    {({ id, describedBy, isInvalid }) => (
      <input
        type="text"
        id={id}
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        autocomplete="off"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)

function PublishDialog({ onClose }: { onClose: () => void }) {
  const action = useAction('publishedPolicies', 'policies')
  const [draft, setDraft] = useState({ policyType: types[0]!, version: '', url: '', required: false })
  const issues = issuesByName(issuesOf(action.error), ['version', 'url'])
  const publish = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = { ...draft, version: draft.version.trim(), url: draft.url.trim() || null }
    if (body.version && (await action.run((api) => api.publishPolicy({ body })))) onClose()
  }
  return (
    <Dialog title={words.publishTitle} onClose={onClose} look="narrow">
      <form class="dialogForm" onSubmit={publish}>
        <label class="field">
          <span>{words.policyType}</span>
          <select
            value={draft.policyType}
            onChange={(event) => setDraft({ ...draft, policyType: event.currentTarget.value as PolicyType })}
          >
            {types.map((type) => (
              <option key={type} value={type}>
                {policyWords.name(type)}
              </option>
            ))}
          </select>
        </label>
        <PolicyText
          label={words.policyVersion}
          help={words.versionHint}
          issue={issues.version}
          value={draft.version}
          onChange={(version) => setDraft({ ...draft, version })}
        />
        <PolicyText
          label={words.policyUrl}
          help={words.policyUrlHint}
          issue={issues.url}
          value={draft.url}
          isOptional
          onChange={(url) => setDraft({ ...draft, url })}
        />
        <label class="checkRow">
          <input
            type="checkbox"
            checked={draft.required}
            onChange={(event) => setDraft({ ...draft, required: event.currentTarget.checked })}
          />
          {words.required}
        </label>
        {Object.keys(issues).length === 0 && <ProblemLine error={action.error} />}
        <div class="dialogActions">
          <Button onClick={onClose}>{frameWords.cancel}</Button>
          <Button type="submit" look="primary" isBusy={action.isBusy} isDisabled={draft.version.trim() === ''}>
            {words.publish}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const columns = [
  { name: 'policy', label: words.policyType },
  { name: 'version', label: words.policyVersion },
  { name: 'at', label: words.publishedAt },
]

/** The published versions of policies, and a way to publish another. */
export function Policies() {
  const reading = useRead(['publishedPolicies'], (api: Client) => api.listPublishedPolicies())
  const [isOpen, setOpen] = useState(false)
  return (
    <Panel
      title={words.policies}
      isFlush
      actions={
        <Button isSmall onClick={() => setOpen(true)}>
          {words.publish}
        </Button>
      }
    >
      <View of={reading} skeleton={<Skeleton rows={1} />}>
        {({ policies }) =>
          policies.length === 0 ? (
            <p class="soft padded">{words.noPolicies}</p>
          ) : (
            <Cards<PublishedPolicy>
              label={words.policies}
              columns={columns}
              rows={policies.toReversed()}
              keyOf={({ policyType, version }) => `${policyType} ${version}`}
              cells={({ policyType, version, required, isLatest, publishedAt, url }) => [
                url ? (
                  <a key="name" href={url} target="_blank" rel="noreferrer">
                    {policyWords.name(policyType)}
                  </a>
                ) : (
                  policyWords.name(policyType)
                ),
                <span key="version" class="chipRow">
                  {version} {isLatest && <span class="chip">{words.latest}</span>}
                  {required && <span class="chip">{words.requiredMark}</span>}
                </span>,
                <Time key="at" at={publishedAt} />,
              ]}
            />
          )
        }
      </View>
      {isOpen && <PublishDialog onClose={() => setOpen(false)} />}
    </Panel>
  )
}
