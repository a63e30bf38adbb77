import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { frameWords as words } from '#dashboard/words/en/frame.ts'
import { Ticked } from './ticked.tsx'

type FieldProps = {
  label: string
  issue?: string | undefined
  help?: ComponentChildren
  isOptional?: boolean | undefined
  children: (ids: { id: string; describedBy: string; isInvalid: boolean }) => ComponentChildren
}

/** A label, its control, its help and its issue, joined for screen readers. */
export function Field({ label, issue, help, isOptional, children }: FieldProps) {
  const id = useId()
  return (
    <div class={`field${issue ? ' invalid' : ''}`}>
      <label for={id}>
        {label} {isOptional && <small class="soft">{words.optional}</small>}
      </label>
      {children({ id, describedBy: `${id}-issue ${id}-help`, isInvalid: issue !== undefined })}
      <p class="fieldIssue" id={`${id}-issue`}>
        {issue && <Ticked text={issue} />}
      </p>
      {help && (
        <p class="hint" id={`${id}-help`}>
          {typeof help === 'string' ? <Ticked text={help} /> : help}
        </p>
      )}
    </div>
  )
}
