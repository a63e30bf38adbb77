import { Plus } from 'lucide'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useAddress, useMay, useRead } from '../../data/here.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { RangePicker, useRange } from '../../parts/rangePicker.tsx'
import { Skeleton, View } from '../../parts/view.tsx'
import { Notices } from '../overview/notices.tsx'
import { ChannelTable } from './channelTable.tsx'

const everyMs = 10_000

function Channels({ tagId }: { tagId: string }) {
  const address = useAddress()
  const { why } = useMay('script:write')
  const { key, now } = useRange('24h')
  const channels = useRead(['channels', tagId], (api) => api.listChannels({ tagId }), { everyMs })
  const stats = useRead(['stats', tagId, key], (api) => api.readStats({ tagId, ...now() }), {
    everyMs: 30_000,
    staysWhile: tagId,
  })
  return (
    <>
      <PageHead
        title={frameWords.title.channels}
        actions={
          <>
            <RangePicker fallback="24h" />
            <LinkButton variant="primary" icon={Plus} href={address('newChannel', { tagId })} why={why}>
              {frameWords.title.newChannel}
            </LinkButton>
          </>
        }
      />
      {channels.data && <Notices tagId={tagId} channels={channels.data.channels} />}
      <div class="panel flush">
        <View of={channels} skeleton={<Skeleton rows={6} />}>
          {(data) => <ChannelTable tagId={tagId} channels={data.channels} stats={stats.data} />}
        </View>
      </div>
    </>
  )
}

/** Every channel of a tag, and its state. */
export default tagPage(Channels)
