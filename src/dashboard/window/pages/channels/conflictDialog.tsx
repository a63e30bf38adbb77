import { type ChannelDraft, draftOf, type ProviderRow } from '#dashboard/form/channelForm.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useRead } from '../../data/here.tsx'
import { ChangedDialog } from '../../parts/changedDialog.tsx'
import { ProblemLine } from '../../parts/view.tsx'

/** The settings whose values can be compared side by side; secrets cannot. */
const shown = ['name', 'consentCategory', 'geoRegions', 'purchaseValueMode'] as const
const labels = {
  name: frameWords.name,
  consentCategory: words.consent,
  geoRegions: frameWords.regions,
  purchaseValueMode: words.valueMode,
}

type ConflictProps = {
  provider: ProviderRow
  draft: ChannelDraft
  scriptId: string
  onMine: () => void
  onClose: () => void
}

/** Somebody else saved the channel meanwhile: shows both versions of each difference, and the choice. */
export function ConflictDialog({ provider, draft, scriptId, onMine, onClose }: ConflictProps) {
  const theirs = useRead(['theirs', scriptId], (api) => api.readScript({ scriptId }), { staleMs: 0 })
  if (!theirs.data) return <ProblemLine error={theirs.error} />
  const saved = draftOf(provider, theirs.data)
  return (
    <ChangedDialog
      title={words.changedTitle}
      rows={shown
        .filter((name) => saved[name] !== draft[name])
        .map((name) => ({
          name,
          label: labels[name],
          mine: draft[name] || frameWords.none,
          theirs: saved[name] || frameWords.none,
        }))}
      onMine={onMine}
      onTheirs={() => location.reload()}
      onClose={onClose}
    />
  )
}
