import type { Person } from '#contract/session.ts'
import { ownWords as words } from '#dashboard/words/en/account.ts'
import { useAction } from '../../data/action.ts'
import { useHere } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { Button } from '../../parts/button.tsx'
import { DialogButton, FormDialog } from '../../parts/formDialog.tsx'
import { TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemLine } from '../../parts/view.tsx'

const looks = {
  email: { label: words.sandboxEmail, type: 'email' },
  password: { label: words.sandboxPassword, type: 'password' },
  currentPassword: { label: words.current, type: 'password' },
} as const
const fields = Object.keys(looks) as (keyof typeof looks)[]

const LinkDialog = ({ person, onDone, onClose }: { person: Person; onDone: () => void; onClose: () => void }) => (
  <FormDialog
    title={words.linkTitle}
    label={words.link}
    isNarrow
    start={{ email: person.email ?? '', password: '', currentPassword: '' }}
    isReady={(draft) => fields.every((name) => draft[name] !== '')}
    changes={['sessions']}
    call={(api, body) => api.linkSandbox({ body })}
    onDone={() => {
      onDone()
      onClose()
    }}
    onClose={onClose}
  >
    {({ field }) => (
      <>
        <p>{words.linkText}</p>
        {fields.map((name) => (
          <TextField key={name} {...looks[name]} {...field(name)} />
        ))}
      </>
    )}
  </FormDialog>
)

/** The link to the person's account of the sandbox. Shown in production alone, where the server offers it. */
export function SandboxPanel({ person }: { person: Person }) {
  const { environment } = useHere()
  const action = useAction('sessions')
  const read = () => void queries.invalidateQueries({ queryKey: [environment, 'session'] })
  if (!person.sandbox) return null
  const unlink = async () => {
    if (await action.run((api) => api.unlinkSandbox())) read()
  }
  return (
    <Panel title={words.sandbox} note={words.sandboxNote}>
      <p role="status">{words.sandboxStates[person.sandbox]}</p>
      <ProblemLine error={action.error} />
      <div class="row">
        {person.sandbox !== 'linked' && (
          <DialogButton dialog={(close) => <LinkDialog person={person} onDone={read} onClose={close} />}>
            {words.link}
          </DialogButton>
        )}
        {person.sandbox !== 'notLinked' && (
          <Button isBusy={action.isBusy} onClick={() => void unlink()}>
            {words.unlink}
          </Button>
        )}
      </div>
    </Panel>
  )
}
