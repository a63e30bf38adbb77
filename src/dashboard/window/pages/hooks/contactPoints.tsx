import { Plus } from 'lucide'
import { useState } from 'preact/hooks'
import { type ContactKind, contactKinds } from '#contract/alertKinds.ts'
import type { ContactPoint } from '#contract/contactPoint.ts'
import { contactWords as words } from '#dashboard/words/en/alertRules.ts'
import { useAction } from '../../data/action.ts'
import { useMay, useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { DialogButton, FormDialog } from '../../parts/formDialog.tsx'
import { SelectField, TextField } from '../../parts/inputs.tsx'
import { NamedRows, RemoveButton } from './namedRows.tsx'

const fieldOf = (kind: ContactKind) => (kind === 'email' ? 'address' : kind === 'pagerDuty' ? 'routingKey' : 'url')
const hints = { address: undefined, url: words.urlHint, routingKey: words.routingKeyHint }

/** Adds a contact point, and shows the signing key of a webhook once. */
function AddDialog({ onClose }: { onClose: () => void }) {
  const action = useAction('contactPoints')
  const [name, setName] = useState('')
  const [kind, setKind] = useState<ContactKind>('email')
  const [value, setValue] = useState('')
  const [secret, setSecret] = useState<string>()
  const field = fieldOf(kind)
  const issues = action.issues('name', 'address', 'url', 'routingKey')
  const save = async () => {
    const body = { kind, [field]: value.trim() }
    const made = await action.run((api) => api.putContactPoint({ name: name.trim(), body }))
    if (made?.secret) setSecret(made.secret)
    else if (made) onClose()
  }
  return (
    <FormDialog
      title={words.add}
      label={words.save}
      isNarrow
      action={action}
      issues={issues}
      isReady={name.trim() !== '' && value.trim() !== ''}
      once={secret && { title: words.secretTitle, note: words.secretNote, values: [[words.secret, secret]] }}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={words.name} issue={issues.name} maxLength={64} value={name} onChange={setName} />
      <SelectField<ContactKind>
        label={words.kind}
        value={kind}
        options={contactKinds.map((each) => [each, words.kindName(each)])}
        onChange={setKind}
      />
      <TextField
        label={words[field]}
        issue={issues[field]}
        help={hints[field]}
        type={field === 'url' ? 'url' : field === 'address' ? 'email' : 'text'}
        value={value}
        onChange={setValue}
      />
    </FormDialog>
  )
}

function ConfirmCodeDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const action = useAction('contactPoints')
  const [code, setCode] = useState('')
  const issues = action.issues('code')
  const confirm = async () => {
    const done = await action.run((api) => api.confirmContactPoint({ name, body: { code: code.trim() } }))
    if (done) onClose()
  }
  return (
    <FormDialog
      title={words.confirmTitle}
      label={words.confirm}
      isNarrow
      action={action}
      issues={issues}
      isReady={code.trim() !== ''}
      onSubmit={confirm}
      onClose={onClose}
    >
      <p>{words.confirmText}</p>
      <TextField label={words.code} issue={issues.code} value={code} onChange={setCode} />
    </FormDialog>
  )
}

function TestButton({ name, why }: { name: string; why: string | undefined }) {
  const action = useAction()
  const [said, setSaid] = useState('')
  const test = async () => {
    const result = await action.run((api) => api.testContactPoint({ name }))
    if (result) setSaid(result.isSent ? words.testSent : words.testFailed(result.message ?? ''))
  }
  return (
    <>
      <span role="status" class="soft">
        {said}
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
      {isConfirmed ? (
        <TestButton name={name} why={why} />
      ) : (
        <DialogButton isSmall why={why} dialog={(close) => <ConfirmCodeDialog name={name} onClose={close} />}>
          {words.confirm}
        </DialogButton>
      )}
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

/** Where messages of alert rules go. */
export function ContactPoints() {
  const { why } = useMay('hook:write')
  return (
    <NamedRows
      words={words}
      of={useContactPoints()}
      rowsOf={(data) => data.contactPoints}
      head={
        <DialogButton icon={Plus} why={why} dialog={(close) => <AddDialog onClose={close} />}>
          {words.add}
        </DialogButton>
      }
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
      actions={(row) => <Actions of={row} why={why} />}
    />
  )
}
