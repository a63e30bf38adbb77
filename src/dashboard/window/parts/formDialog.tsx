import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import { hookErrorsOf } from '#dashboard/api/problem.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { type Form, useForm } from '../data/form.ts'
import { Button, type ButtonProps, CopyButton } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ProblemLine } from './view.tsx'

type Once = { title: string; note: string; values: readonly (readonly [label: string, value: string])[] }

/** Shows secrets once. After it is closed, the page no longer has them. */
export function OnceDialog({ title, note, values, onClose }: Once & { onClose: () => void }) {
  return (
    <Dialog title={title} variant="narrow">
      <p>{note}</p>
      {values.map(([label, value]) => (
        <div key={label} class="field">
          <span class="onceLabel">{label}</span>
          <div class="inputRow onceValue">
            <code>{value}</code>
            <CopyButton text={value} />
          </div>
        </div>
      ))}
      <div class="row dialogActions">
        <Button variant="primary" onClick={onClose}>
          {frameWords.close}
        </Button>
      </div>
    </Dialog>
  )
}

/** The reason of a refusal that no field shows. */
export function FormProblem({ error, issues = {} }: { error: unknown; issues?: Record<string, string> }) {
  if (issues['']) return <p class="fieldIssue">{issues['']}</p>
  return Object.keys(issues).length === 0 ? <ProblemLine error={error} /> : null
}

/** The objections of the team's hooks to a deployment. */
function HookErrors({ of }: { of: unknown }) {
  const errors = hookErrorsOf(of)
  if (errors.length === 0) return null
  return (
    <div class="warnings" role="alert">
      <p>{manageWords.hookErrors}</p>
      <ul>
        {errors.map(({ url, message }) => (
          <li key={url}>
            <bdi>{url}</bdi>: {message}
          </li>
        ))}
      </ul>
    </div>
  )
}

type FormDialogProps<Draft extends object, Answer> = {
  title: string
  /** The draft when the dialog opens. */
  start: Draft
  /** The fields. */
  children: (form: Form<Draft>) => ComponentChildren
  /** The text of the button. */
  label: string
  variant?: 'danger' | 'primary'
  isNarrow?: boolean
  isReady?: (draft: Draft) => boolean
  /** The names of the reads to refresh after the call. */
  changes: readonly string[]
  call: (api: Client, draft: Draft) => Promise<Answer>
  /** The prefix of issue paths before the field names. */
  issuePath?: string
  /** The secrets that were created, which replace the form. */
  onceOf?: (answer: Answer) => Once | undefined
  /** Called when the dialog is closed. */
  onDone?: ((answer: Answer) => void) | undefined
  onClose: () => void
}

/** The fields, the reason of a refusal, and the buttons to cancel and to send. */
function DialogForm<Draft extends object, Answer>({
  start,
  children,
  label,
  variant = 'primary',
  isReady,
  changes,
  call,
  issuePath,
  onDone,
  onClose,
}: FormDialogProps<Draft, Answer>) {
  const form = useForm(start, changes, issuePath)
  const { action, draft, issues } = form
  const isOff = isReady?.(draft) === false
  const submit = async () => {
    const done = await action.run(async (api) => ({ answer: await call(api, draft) }))
    if (done) onDone?.(done.answer)
  }
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!action.isBusy && !isOff) void submit()
      }}
    >
      {children(form)}
      <HookErrors of={action.error} />
      <FormProblem error={action.error} issues={issues} />
      <div class="row dialogActions">
        <Button onClick={onClose}>{frameWords.cancel}</Button>
        <Button type="submit" variant={variant} isBusy={action.isBusy} isDisabled={isOff}>
          {label}
        </Button>
      </div>
    </form>
  )
}

/** A form in a dialog. */
export function FormDialog<Draft extends object, Answer>(dialog: FormDialogProps<Draft, Answer>) {
  const { title, isNarrow, onceOf, onDone, onClose } = dialog
  const [once, setOnce] = useState<Once>()
  const finish = (answer: Answer) => {
    const made = onceOf?.(answer)
    if (made) return setOnce(made)
    onClose()
    onDone?.(answer)
  }
  if (once) return <OnceDialog {...once} onClose={onClose} />
  return (
    <Dialog title={title} onClose={onClose} variant={isNarrow ? 'narrow' : ''}>
      <DialogForm {...dialog} onDone={finish} />
    </Dialog>
  )
}

type DialogButtonProps = Omit<ButtonProps, 'onClick'> & { dialog: (close: () => void) => ComponentChildren }

/** A button that opens a dialog. */
export function DialogButton({ dialog, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {isOpen && dialog(() => setOpen(false))}
    </>
  )
}

type FormButtonProps<Draft extends object, Answer> = Omit<FormDialogProps<Draft, Answer>, 'onClose'> & {
  button?: Omit<ButtonProps, 'onClick'>
}

/** A button that opens a form. By default it has the text of the title. */
export const FormButton = <Draft extends object, Answer>({ button, ...form }: FormButtonProps<Draft, Answer>) => (
  <DialogButton {...button} dialog={(close) => <FormDialog {...form} onClose={close} />}>
    {button?.children ?? form.title}
  </DialogButton>
)
