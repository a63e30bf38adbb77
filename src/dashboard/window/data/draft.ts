import { useEffect, useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import { useHere, useRead } from './here.tsx'

/** The reads that a deployment makes stale. */
export const deployedReads = ['deployments', 'deployment', 'draft', 'tag', 'scripts', 'script', 'channels'] as const

export const mayReadDraft = (scopes: readonly string[]) => scopes.includes('tag:read') && scopes.includes('script:read')

/** Loads the difference after the rest of the page is shown. */
const afterMs = 1_500
let isLater = false

/** The saved changes of a tag that are not live; undefined until loaded. */
export function useDraft(tagId: string | undefined) {
  const { me } = useHere()
  const [isOpen, setOpen] = useState(isLater)
  useEffect(() => {
    if (isOpen) return undefined
    const timer = setTimeout(() => {
      isLater = true
      setOpen(true)
    }, afterMs)
    return () => clearTimeout(timer)
  }, [])
  const isEnabled = isOpen && tagId !== undefined && mayReadDraft(me.scopes)
  return useRead(['draft', tagId], (api: Client) => api.readDraft({ tagId: tagId! }), { isEnabled, everyMs: 30_000 })
    .data
}
