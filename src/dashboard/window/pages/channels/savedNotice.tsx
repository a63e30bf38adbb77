import { signal } from '@preact/signals'
import type { WrittenScript } from '#contract/script.ts'
import { ruleWords as words } from '#dashboard/words/en/rules.ts'

/** What the last save of this page was answered. */
export const lastSave = signal<Pick<WrittenScript, 'scriptId' | 'affected' | 'warnings'> | undefined>(undefined)

/** What the save that led to this page changes, and its warnings. */
export function SavedNotice({ scriptId }: { scriptId: string }) {
  const saved = lastSave.value
  if (saved?.scriptId !== scriptId) return null
  const { affected, warnings = [] } = saved
  if (!affected && warnings.length === 0) return null
  return (
    <div class="warnings" role="status">
      {affected && <p>{words.affected(affected.events, affected.before, affected.after)}</p>}
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
    </div>
  )
}
