import { useState } from 'preact/hooks'
import { issuesByName, issuesOf } from '#dashboard/api/problem.ts'
import { useAction } from './action.ts'

/** The state of one field of a form: spread it into a `TextField`, a `SelectField` or a `CheckRow`. */
type FieldOf<Draft> = <Name extends keyof Draft & string>(
  name: Name,
) => {
  name: Name
  value: Draft[Name]
  issue: string | undefined
  onChange: (value: Draft[Name]) => void
}

export const fieldsOf =
  <Draft extends object>(
    draft: Draft,
    issues: Readonly<Record<string, string>>,
    change: (next: Partial<Draft>) => void,
  ): FieldOf<Draft> =>
  (name) => ({
    name,
    value: draft[name],
    issue: issues[name],
    onChange: (value) => change({ [name]: value } as unknown as Partial<Draft>),
  })

/**
 * The entries of a person and their issues. Every member of the draft has a field, which shows its issue. After a call
 * of `action`, the reads named in `changes` are refreshed.
 */
export function useForm<Draft extends object>(start: Draft, changes: readonly string[], issuePath = '') {
  const action = useAction(...changes)
  const [draft, setDraft] = useState(start)
  const found = issuesOf(action.error).map((issue) => ({ ...issue, path: issue.path.replace(issuePath, '') }))
  const issues = issuesByName(found, Object.keys(draft))
  const change = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }))
  return { action, draft, change, issues, field: fieldsOf(draft, issues, change) }
}
export type Form<Draft extends object> = ReturnType<typeof useForm<Draft>>
