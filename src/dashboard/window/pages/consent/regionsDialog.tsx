import type { Script } from '#contract/script.ts'
import { consentWords as words } from '#dashboard/words/en/consent.ts'
import { FormDialog } from '../../parts/formDialog.tsx'
import { RegionField } from '../channels/regionField.tsx'

/** The regions of one channel, with the sentence that they mean. */
export const RegionsDialog = ({ script, onClose }: { script: Script; onClose: () => void }) => (
  <FormDialog
    title={words.regionsTitle(script.name)}
    label={words.save}
    start={{ geoRegions: script.geoRegions ?? '' }}
    changes={['scripts', 'script', 'deployments', 'draft']}
    call={(api, { geoRegions }) => {
      const body = { geoRegions: geoRegions.trim() || null }
      return api.patchScript({ scriptId: script.scriptId, body, ifMatch: script.version })
    }}
    onClose={onClose}
  >
    {({ field }) => <RegionField {...field('geoRegions')} />}
  </FormDialog>
)
