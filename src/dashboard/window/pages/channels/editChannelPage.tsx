import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useAddress, useRead } from '../../data/here.tsx'
import { useManifest, useParam, useQueryState } from '../../data/tag.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { lazyPart } from '../../parts/lazyPart.tsx'
import { NotLiveNotice } from '../../parts/notLive.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Empty, Skeleton, View } from '../../parts/view.tsx'
import { ChannelForm } from './channelForm.tsx'

/** Loaded only to replace a single secret. */
const ReplaceKey = lazyPart(
  () => import('./replaceKey.tsx').then((page) => page.ReplaceKey),
  () => <Skeleton rows={3} />,
)

function EditChannel({ tagId }: { tagId: string }) {
  const scriptId = useParam('scriptId')
  const address = useAddress()
  const manifest = useManifest()
  const [query] = useQueryState()
  const script = useRead(['script', scriptId], (api) => api.readScript({ scriptId }), { staleMs: 60_000 })
  return (
    <View of={script} skeleton={<Skeleton rows={8} />}>
      {(saved) => (
        <>
          <PageHead
            above={<a href={address('channel', { tagId, scriptId })}>{saved.name}</a>}
            title={query.field === 'key' ? frameWords.replaceKey : words.settings}
          />
          <NotLiveNotice tagId={tagId} scriptId={scriptId} of={saved} />
          <View of={manifest} skeleton={<Skeleton rows={8} />}>
            {({ providers = [] }) => {
              const provider = providers.find(({ value }) => value === saved.providerId)
              if (provider && query.field)
                return <ReplaceKey tagId={tagId} provider={provider} script={saved} field={query.field} />
              if (provider) return <ChannelForm key={scriptId} tagId={tagId} provider={provider} script={saved} />
              return (
                <Empty
                  title={words.unknownProvider}
                  action={<LinkButton href={address('channels', { tagId })}>{frameWords.title.channels}</LinkButton>}
                />
              )
            }}
          </View>
        </>
      )}
    </View>
  )
}

/** The settings of a saved channel. */
export default tagPage(EditChannel)
