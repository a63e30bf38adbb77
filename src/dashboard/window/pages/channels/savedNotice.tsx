import { ruleBuilderWords as words } from '#dashboard/words/en/ruleBuilder.ts'
import { lastSave } from './lastSave.ts'

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
