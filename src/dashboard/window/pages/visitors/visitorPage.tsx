import { Download, Trash2 } from 'lucide'
import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { UserRecord } from '#contract/userRecord.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { visitorWords as words } from '#dashboard/words/en/visitors.ts'
import { useAction } from '../../data/action.ts'
import { useAddress, useList, useMay } from '../../data/here.tsx'
import { useParam } from '../../data/tag.tsx'
import { Button, CopyButton, LinkButton } from '../../parts/button.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { saveFile } from '../../parts/saveFile.ts'
import { Empty, ProblemLine, ProblemNote, Skeleton } from '../../parts/view.tsx'
import { Consent, EventsOf, Known } from './visitorParts.tsx'

/** All stored data of a visitor, with every page of events. */
async function readWhole(api: Client, tagId: string, userId: string): Promise<UserRecord> {
  const { next, ...record } = await api.readUser({ tagId, userId, limit: 200 })
  const events = [...record.events]
  for (let cursor = next; cursor; ) {
    const page = await api.readUser({ tagId, userId, limit: 200, cursor })
    events.push(...page.events)
    cursor = page.next
  }
  return { ...record, events }
}

function Export({ tagId, userId }: { tagId: string; userId: string }) {
  const action = useAction()
  const save = async () => {
    const record = await action.run((api) => readWhole(api, tagId, userId))
    if (record)
      saveFile(new Blob([JSON.stringify(record, undefined, 2)], { type: 'application/json' }), `${userId}.json`)
  }
  return (
    <>
      <Button icon={Download} isBusy={action.isBusy} onClick={save}>
        {action.isBusy ? words.exporting : frameWords.export}
      </Button>
      <ProblemLine error={action.error} />
    </>
  )
}

function Erase({ tagId, userId, onErased }: { tagId: string; userId: string; onErased: (events: number) => void }) {
  const { why } = useMay('user:erase')
  return (
    <ConfirmButton
      button={{ variant: 'danger', icon: Trash2, why }}
      title={words.eraseTitle}
      label={words.erase}
      typed={{ text: userId, label: words.eraseConfirm(userId) }}
      changes={['events', 'event']}
      call={(api) => api.eraseUser({ tagId, userId })}
      onDone={({ events }) => onErased(events)}
      text={words.eraseText}
    />
  )
}

function Erased({ tagId, events }: { tagId: string; events: number }) {
  const address = useAddress()
  return (
    <Empty
      isPage
      title={words.erasedTitle}
      action={<LinkButton href={address('visitors', { tagId })}>{frameWords.title.visitors}</LinkButton>}
    >
      {words.erased(events)}
    </Empty>
  )
}

const MoreButton = ({ isBusy, onClick }: { isBusy: boolean; onClick(): void }) => (
  <Button isBusy={isBusy} onClick={onClick}>
    {isBusy ? frameWords.loading : words.more}
  </Button>
)

function Visitor({ tagId, userId }: { tagId: string; userId: string }) {
  const address = useAddress()
  const [erased, setErased] = useState<number>()
  const back = <a href={address('visitors', { tagId })}>{frameWords.title.visitors}</a>
  // Each read is recorded in the audit, so the page does not read again when the window gets the focus.
  const reading = useList(
    ['visitor', tagId, userId],
    (api, at) => api.readUser({ tagId, userId, limit: 50, ...at }),
    (page) => [page],
    { isEnabled: erased === undefined },
  )
  if (erased !== undefined) return <Erased tagId={tagId} events={erased} />
  const [record] = reading.rows
  const events = reading.rows.flatMap((page) => page.events)
  return (
    <>
      <PageHead
        above={back}
        title={words.title}
        below={
          <>
            <code>
              <bdi>{userId}</bdi>
            </code>
            <CopyButton text={userId} />
          </>
        }
        actions={
          record && (
            <>
              <Export tagId={tagId} userId={userId} />
              <Erase tagId={tagId} userId={userId} onErased={setErased} />
            </>
          )
        }
      />
      {reading.isLoading && <Skeleton rows={8} />}
      {reading.error && <ProblemNote error={reading.error} onRetry={reading.reload} />}
      {record && (
        <>
          <div class="columns">
            <Known of={record} />
            <Consent of={record} tagId={tagId} events={events} />
          </div>
          <EventsOf
            tagId={tagId}
            userId={userId}
            events={events}
            more={reading.hasMore && <MoreButton isBusy={reading.isLoadingMore} onClick={reading.loadMore} />}
          />
        </>
      )}
    </>
  )
}

/** The data of one visitor, its export and its erasure. */
export default tagPage(({ tagId }) => {
  const userId = useParam('userId')
  return <Visitor key={userId} tagId={tagId} userId={userId} />
})
