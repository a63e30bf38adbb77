import { useState } from 'preact/hooks'
import type { Script } from '#contract/script.ts'
import { consentWords as words } from '#dashboard/words/en/consent.ts'
import { useAction } from '../../data/action.ts'
import { FormDialog } from '../../parts/formDialog.tsx'
import { RegionField } from '../channels/regionField.tsx'

/** The regions of one channel, with the sentence that they mean. */
export function RegionsDialog({ script, onClose }: { script: Script; onClose: () => void }) {
  const action = useAction('scripts', 'script', 'deployments', 'draft')
  const [text, setText] = useState(script.geoRegions ?? '')
  const issues = action.issues('geoRegions')
  const { scriptId, version, name } = script
  const save = async () => {
    const body = { geoRegions: text.trim() || null }
    if (await action.run((api) => api.patchScript({ scriptId, body, ifMatch: version }))) onClose()
  }
  return (
    <FormDialog
      title={words.regionsTitle(name)}
      label={words.save}
      action={action}
      issues={issues}
      onSubmit={save}
      onClose={onClose}
    >
      <RegionField text={text} issue={issues.geoRegions} onChange={setText} />
    </FormDialog>
  )
}
