import type { Client } from '#contract/client.ts'
import { type ChannelDraft, draftOf, type ProviderRow } from '#dashboard/form/channelForm.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Skeleton, View } from '../../parts/view.tsx'

/** The settings whose text can be shown beside each other; secrets cannot. */
const shown = ['name', 'consentCategory', 'geoRegions', 'purchaseValueMode'] as const
const labels = {
  name: words.name,
  consentCategory: words.consent,
  geoRegions: words.regions,
  purchaseValueMode: words.valueMode,
}

type ConflictProps = {
  provider: ProviderRow
  draft: ChannelDraft
  scriptId: string
  onMine: () => void
  onClose: () => void
}

/** Somebody saved the channel meanwhile: both versions of what differs, and the choice. */
export function ConflictDialog({ provider, draft, scriptId, onMine, onClose }: ConflictProps) {
  const theirs = useRead(['theirs', scriptId], (api: Client) => api.readScript({ scriptId }), { staleMs: 0 })
  return (
    <Dialog title={words.changedTitle} onClose={onClose}>
      <p>{words.changedText}</p>
      <View of={theirs} skeleton={<Skeleton rows={2} />}>
        {(script) => {
          const saved = draftOf(provider, script)
          const different = shown.filter((name) => saved[name] !== draft[name])
          return (
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">{words.settings}</th>
                  <th scope="col">{words.mine}</th>
                  <th scope="col">{words.theirs}</th>
                </tr>
              </thead>
              <tbody>
                {different.map((name) => (
                  <tr key={name}>
                    <th scope="row">{labels[name]}</th>
                    <td>{draft[name] || words.none}</td>
                    <td>{saved[name] || words.none}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }}
      </View>
      <div class="dialogActions">
        <Button onClick={onClose}>{frameWords.cancel}</Button>
        <Button onClick={() => location.reload()}>{words.takeTheirs}</Button>
        <Button look="primary" onClick={onMine}>
          {words.keepMine}
        </Button>
      </div>
    </Dialog>
  )
}
