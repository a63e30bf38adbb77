import { useState } from 'preact/hooks'
import type { Tag } from '#contract/tag.ts'
import { issuesByName, issuesOf, problemOf } from '#dashboard/api/problem.ts'
import { changedSettings, type TagDraft, tagDraftOf, tagUpdateOf } from '#dashboard/form/tagForm.ts'
import { fieldsOf } from '../../data/form.ts'
import { callsOf, keyOf, useHere } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { signedOut } from '../../data/signal.ts'

/** The changes to a tag's settings, their issues, and how they are saved. */
export function useTagForm(tag: Tag) {
  const here = useHere()
  const [draft, setDraft] = useState(() => tagDraftOf(tag))
  const [base, setBase] = useState(tag) // The version that the form started with.
  const [issues, setIssues] = useState<Record<string, string>>({})
  const [error, setError] = useState<unknown>()
  const [state, setState] = useState<'idle' | 'busy' | 'saved' | 'conflict'>('idle')
  const changed = changedSettings(draft, base)
  const begin = (from: Tag) => {
    setBase(from)
    setDraft(tagDraftOf(from))
    setIssues({})
    setError(undefined)
    setState('idle')
  }
  if (changed.length === 0 && tag.version > base.version && state !== 'busy') begin(tag)
  const fail = (problem: unknown) => {
    const { kind } = problemOf(problem)
    if (kind === 'signedOut') signedOut.value = true
    const found = issuesByName(issuesOf(problem), Object.keys(draft))
    setIssues(found)
    if (kind !== 'changedMeanwhile' && (Object.keys(found).length === 0 || found[''])) setError(problem)
    setState(kind === 'changedMeanwhile' ? 'conflict' : 'idle')
  }
  const save = async (isForced = false) => {
    if (changed.length === 0 || state === 'busy') return
    setState('busy')
    setIssues({})
    setError(undefined)
    try {
      const body = tagUpdateOf(draft, base)
      const version = isForced ? {} : { ifMatch: base.version }
      const next = await callsOf(here).updateTag({ tagId: tag.tagId, body, ...version })
      queries.setQueryData(keyOf(here, ['tag', tag.tagId]), { ...next, hostStates: tag.hostStates })
      begin(next)
      setState('saved')
      await queries.invalidateQueries({ queryKey: keyOf(here, ['me']) })
    } catch (problem) {
      fail(problem)
    }
  }
  const change = (next: Partial<TagDraft>) => {
    setDraft({ ...draft, ...next })
    if (state === 'saved') setState('idle')
  }
  return {
    draft,
    change,
    field: fieldsOf(draft, issues, change),
    changed,
    issues,
    error,
    state,
    save,
    restart: () => begin(tag),
    cancel: () => setState('idle'),
  }
}
export type TagFormState = ReturnType<typeof useTagForm>
