import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import { hookErrorsOf } from '#dashboard/api/problem.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { useAction } from '../data/action.ts'
import { FormDialog } from './formDialog.tsx'
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
      {children}
      {typed && <TextField label={typed.label} value={text} onChange={setText} />}
      <HookErrors of={action.error} />
    </FormDialog>
  )
}
