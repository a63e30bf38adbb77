import { Plus } from 'lucide'
import { useState } from 'preact/hooks'
import { type ContactKind, contactKinds } from '#contract/alertKinds.ts'
import type { ContactPoint } from '#contract/contactPoint.ts'
import { contactWords as words } from '#dashboard/words/en/alertRules.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { hookWords } from '#dashboard/words/en/govern.ts'
import { useAction } from '../../data/action.ts'
import { useMay, useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { FormButton } from '../../parts/formDialog.tsx'
import { SelectField, TextField } from '../../parts/inputs.tsx'
import { NamedRows, RemoveButton } from './namedRows.tsx'

const fieldOf = (kind: ContactKind) => (kind === 'email' ? 'address' : kind === 'pagerDuty' ? 'routingKey' : 'url')
const fieldProps = {
  address: { label: words.address, type: 'email' },
  url: { label: words.url, type: 'url', help: words.urlHint },
  routingKey: { label: words.routingKey, help: words.routingKeyHint },
}

/** Adds a contact point, and shows a webhook's signing key once. */
const AddButton = ({ why }: { why: string | undefined }) => (
  <FormButton
    button={{ icon: Plus, why }}
    title={words.add}
    label={frameWords.save}
    isNarrow
    start={{ name: '', kind: 'email' as ContactKind, address: '', url: '', routingKey: '' }}
    isReady={(draft) => draft.name.trim() !== '' && draft[fieldOf(draft.kind)].trim() !== ''}
    changes={['contactPoints']}
    call={(api, { name, kind, ...targets }) => {
      const target = fieldOf(kind)
      return api.putContactPoint({ name: name.trim(), body: { kind, [target]: targets[target].trim() } })
    }}
    onceOf={({ secret }) =>
      secret
        ? { title: hookWords.secretTitle, note: words.secretNote, values: [[hookWords.secret, secret]] }
        : undefined
    }
  >
    {({ field, draft: { kind } }) => (
      <>
        <TextField {...field('name')} label={frameWords.name} maxLength={64} />
        <SelectField
          {...field('kind')}
          label={words.kind}
          options={contactKinds.map((each) => [each, words.kindName[each]])}
        />
        <TextField {...field(fieldOf(kind))} {...fieldProps[fieldOf(kind)]} />
      </>
    )}
  </FormButton>
)

const ConfirmCodeButton = ({ name, why }: { name: string; why: string | undefined }) => (
  <FormButton
    button={{ isSmall: true, why, children: words.confirm }}
    title={words.confirmTitle}
    label={words.confirm}
    isNarrow
    start={{ code: '' }}
    isReady={({ code }) => code.trim() !== ''}
    changes={['contactPoints']}
    call={(api, { code }) => api.confirmContactPoint({ name, body: { code: code.trim() } })}
  >
    {({ field }) => (
      <>
        <p>{words.confirmText}</p>
        <TextField {...field('code')} label={frameWords.code} />
      </>
    )}
  </FormButton>
)

function TestButton({ name, why }: { name: string; why: string | undefined }) {
  const action = useAction()
  const [outcome, setOutcome] = useState('')
  const test = async () => {
    const result = await action.run((api) => api.testContactPoint({ name }))
    if (result) setOutcome(result.isSent ? words.testSent : words.testFailed(result.message ?? ''))
  }
  return (
    <>
      <span role="status" class="soft">
        {outcome}
      </span>
      <Button isSmall why={why} isBusy={action.isBusy} onClick={test}>
        {words.test}
      </Button>
    </>
  )
}

function Actions({ of: { name, isConfirmed }, why }: { of: ContactPoint; why: string | undefined }) {
  return (
    <>
      {isConfirmed ? <TestButton name={name} why={why} /> : <ConfirmCodeButton name={name} why={why} />}
      <RemoveButton
        words={words}
        name={name}
        why={why}
        changes={['contactPoints']}
        call={(api) => api.deleteContactPoint({ name })}
      />
    </>
  )
}

export const useContactPoints = () => useRead(['contactPoints'], (api) => api.listContactPoints({ limit: 200 }))

/** Where alert rules send messages. */
export function ContactPoints() {
  const { why } = useMay('hook:write')
  return (
    <NamedRows
      words={words}
      of={useContactPoints()}
      rowsOf={(data) => data.contactPoints}
      actions={<AddButton why={why} />}
      columns={[
        {
          name: 'target',
          label: words.target,
          cell: ({ target, isConfirmed }) => (
            <>
              <bdi>{target}</bdi> {!isConfirmed && <span class="soft">({words.unconfirmed})</span>}
            </>
          ),
        },
      ]}
      rowActions={(row) => <Actions of={row} why={why} />}
    />
  )
}
