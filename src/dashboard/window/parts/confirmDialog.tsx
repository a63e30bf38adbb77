import type { ComponentChildren } from 'preact'
import type { Client } from '#contract/client.ts'
import type { ButtonProps } from './button.tsx'
import { DialogButton, FormDialog } from './formDialog.tsx'
import { TextField } from './inputs.tsx'

type ConfirmProps<Answer> = {
  title: string
  text?: string
  children?: ComponentChildren
  /** The text of the button. */
  label: string
  /** The text to type as confirmation, with its label: for actions that cannot be undone. */
  typed?: { text: string; label: string }
  variant?: 'danger' | 'primary'
  /** The names of the reads to refresh after the call. */
  changes: readonly string[]
  call: (api: Client) => Promise<Answer>
  /** Called when the dialog is closed. */
  onDone?: (answer: Answer) => void
  onClose: () => void
}

/** Asks before an action that cannot be undone or that affects others; then does it. */
export const ConfirmDialog = <Answer,>({
  text,
  children,
  typed,
  variant = 'danger',
  ...dialog
}: ConfirmProps<Answer>) => (
  <FormDialog
    {...dialog}
    isNarrow
    variant={variant}
    start={{ typed: '' }}
    isReady={(draft) => typed === undefined || draft.typed === typed.text}
  >
    {({ field }) => (
      <>
        {text && <p>{text}</p>}
        {children}
        {typed && <TextField {...field('typed')} label={typed.label} />}
      </>
    )}
  </FormDialog>
)

type ConfirmButtonProps<Answer> = Omit<ConfirmProps<Answer>, 'onClose'> & { button?: Omit<ButtonProps, 'onClick'> }

/** A button that asks first. By default it has the text of the confirming button. */
export const ConfirmButton = <Answer,>({ button, ...asked }: ConfirmButtonProps<Answer>) => (
  <DialogButton
    {...(!button?.label && { children: asked.label })}
    {...button}
    dialog={(close) => <ConfirmDialog {...asked} onClose={close} />}
  />
)
