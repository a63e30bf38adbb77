import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { frameWords } from '#dashboard/words/en/frame.ts'
import type { Action } from '../data/action.ts'
import { Button, type ButtonProps, CopyButton } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ProblemLine } from './view.tsx'

type Once = { title: string; note: string; values: readonly (readonly [label: string, value: string])[] }

/** Shows secrets once. They are nowhere in the page after it is closed. */
export function OnceDialog({ title, note, values, onClose }: Once & { onClose: () => void }) {
  return (
    <Dialog title={title} look="narrow">
      <p>{note}</p>
      {values.map(([label, value]) => (
        <div key={label} class="field">
          <span class="onceLabel">{label}</span>
          <div class="onceValue">
            <code>{value}</code>
            <CopyButton text={value} />
          </div>
        </div>
      ))}
      <div class="dialogActions">
        <Button look="primary" onClick={onClose}>
          {frameWords.close}
        </Button>
      </div>
    </Dialog>
  )
}

/** What a form was refused for and no field shows. */
export function FormProblem({ error, issues = {} }: { error: unknown; issues?: Record<string, string> | undefined }) {
  if (issues['']) return <p class="fieldIssue">{issues['']}</p>
  return Object.keys(issues).length === 0 ? <ProblemLine error={error} /> : null
}

type FormDialogProps = {
  title: string
  children?: ComponentChildren
  /** The text of the button. */
  label: string
  look?: 'danger' | 'primary'
  isNarrow?: boolean
  action: Pick<Action, 'isBusy' | 'error'>
  /** The issue of each field; under the empty name what belongs to none. */
  issues?: Record<string, string>
  isReady?: boolean
  /** The secrets that were made: they are shown in the place of the form. */
  once?: Once | '' | undefined
  onSubmit: () => unknown
  onClose: () => void
}

/** A form in a dialog, with what it was refused for, a button that cancels and one that sends it. */
export function FormDialog({
  title,
  children,
  label,
  look = 'primary',
  isNarrow,
  action: { isBusy, error },
  issues,
  isReady = true,
  once,
  onSubmit,
  onClose,
}: FormDialogProps) {
  if (once) return <OnceDialog {...once} onClose={onClose} />
  return (
    <Dialog title={title} onClose={onClose} look={isNarrow ? 'narrow' : ''}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy && isReady) onSubmit()
        }}
      >
        {children}
        <FormProblem error={error} issues={issues} />
        <div class="dialogActions">
          <Button onClick={onClose}>{frameWords.cancel}</Button>
          <Button type="submit" look={look} isBusy={isBusy} isDisabled={!isReady}>
            {label}
          </Button>
        </div>
      </form>
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
