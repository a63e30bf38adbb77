import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import { hookErrorsOf } from '#dashboard/api/problem.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { useAction } from '../data/action.ts'
import type { ButtonProps } from './button.tsx'
import { DialogButton, FormDialog } from './formDialog.tsx'
import { TextField } from './inputs.tsx'

/** What the hooks of the team said against a deployment. */
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

type ConfirmProps<Answer> = {
  title: string
  text?: string
  children?: ComponentChildren
  /** The text of the button. */
  label: string
  /** What must be typed, with the label of its field: for what cannot be taken back. */
  typed?: { text: string; label: string }
  look?: 'danger' | 'primary'
  /** The names of what is read anew after the call. */
  changes: readonly string[]
  call: (api: Client) => Promise<Answer>
  /** Without it the dialog closes. */
  onDone?: (answer: Answer) => void
  onClose: () => void
}

/** Asks before something is done that cannot be taken back, or that reaches others; then does it. */
export function ConfirmDialog<Answer>({
  text: asked,
  children,
  typed,
  look = 'danger',
  changes,
  call,
  onDone,
  onClose,
  ...dialog
}: ConfirmProps<Answer>) {
  const action = useAction(...changes)
  const [text, setText] = useState('')
  const confirm = async () => {
    const done = await action.run(async (api) => ({ answer: await call(api) }))
    if (done) (onDone ?? onClose)(done.answer)
  }
  return (
    <FormDialog
      {...dialog}
      isNarrow
      look={look}
      action={action}
      isReady={typed === undefined || text === typed.text}
      onSubmit={confirm}
      onClose={onClose}
    >
      {asked && <p>{asked}</p>}
      {children}
      {typed && <TextField label={typed.label} value={text} onChange={setText} />}
      <HookErrors of={action.error} />
    </FormDialog>
  )
}

type ConfirmButtonProps<Answer> = Omit<ConfirmProps<Answer>, 'onClose'> & { button?: Omit<ButtonProps, 'onClick'> }

/** A button that asks first. It has the text of the button that confirms, unless it has its own or shows an icon alone. */
export function ConfirmButton<Answer>({ button, onDone, ...asked }: ConfirmButtonProps<Answer>) {
  const ask = (close: () => void) => {
    const done = (answer: Answer) => {
      close()
      onDone?.(answer)
    }
    return <ConfirmDialog {...asked} onDone={done} onClose={close} />
  }
  return <DialogButton {...(!button?.label && { children: asked.label })} {...button} dialog={ask} />
}
