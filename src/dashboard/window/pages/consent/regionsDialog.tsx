import { useState } from 'preact/hooks'
import type { Script } from '#contract/script.ts'
import { issuesOf } from '#dashboard/api/problem.ts'
import { issuesByName } from '#dashboard/form/tagForm.ts'
import { consentWords as words } from '#dashboard/words/en/consent.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useAction } from '../../data/action.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { RegionField } from '../channels/regionField.tsx'

/** The regions of one channel, with the sentence that they mean. */
export function RegionsDialog({ script, onClose }: { script: Script; onClose: () => void }) {
  const action = useAction('scripts', 'script', 'deployments', 'draft')
  const [text, setText] = useState(script.geoRegions ?? '')
  const issue = issuesByName(issuesOf(action.error), ['geoRegions']).geoRegions
  const { scriptId, version, name } = script
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = { geoRegions: text.trim() || null }
    if (await action.run((api) => api.patchScript({ scriptId, body, ifMatch: version }))) onClose()
  }
  return (
    <Dialog title={words.regionsTitle(name)} onClose={onClose}>
      <form class="dialogForm" onSubmit={save}>
        <RegionField text={text} issue={issue} onChange={setText} />
        {!issue && <ProblemLine error={action.error} />}
        <div class="dialogActions">
          <Button onClick={onClose}>{frameWords.cancel}</Button>
          <Button type="submit" look="primary" isBusy={action.isBusy}>
            {words.save}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
