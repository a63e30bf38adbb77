import { CircleCheck } from 'lucide'
import type { Client } from '#contract/client.ts'
import type { Deployment, Draft } from '#contract/deployment.ts'
import { deploymentWords as words } from '#dashboard/words/en/deployments.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { useActorName } from '../../data/actors.ts'
import { callsOf, keyOf, useAddress, useHere, useRead } from '../../data/here.tsx'
import { type PagedReading, usePaged } from '../../data/query.ts'
import { OfTag } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { DeployButton, DiscardButton } from '../../parts/deploy.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemNote, Skeleton, View } from '../../parts/view.tsx'
import { ChangedValues } from './changedValues.tsx'

function Drafts({ tagId, of: { live, values } }: { tagId: string; of: Draft }) {
  const isEmpty = values.settings.length === 0 && values.scripts.length === 0
  if (isEmpty) return <p class="soft">{words.noDraft}</p>
  return (
    <div class="stack">
      <Panel
        title={words.draftTitle}
        note={words.draftNote(live)}
        actions={
          <>
            <DiscardButton tagId={tagId} />
            <DeployButton tagId={tagId} />
          </>
        }
      >
        <p>
          {words.summary(
            values.settings.map(({ name }) => name),
            values.scripts,
          )}
        </p>
      </Panel>
      <details class="draftDetails" open>
        <summary>{words.columns.what}</summary>
        <div class="stack">
          <ChangedValues tagId={tagId} of={values} />
        </div>
      </details>
    </div>
  )
}

const { columns } = words
const list = [
  { name: 'number', label: columns.number },
  { name: 'when', label: columns.when },
  { name: 'who', label: columns.who },
  { name: 'what', label: columns.what },
]

function History({ tagId, past }: { tagId: string; past: PagedReading<Deployment> }) {
  const address = useAddress()
  const nameOf = useActorName()
  if (past.isLoading) return <Skeleton rows={6} />
  if (past.error) return <ProblemNote error={past.error} onRetry={past.reload} />
  return (
    <>
      <Cards<Deployment>
        label={frameWords.title('deployments')}
        columns={list}
        rows={past.rows}
        keyOf={({ number }) => `${number}`}
        cells={({ number, at, by, isLive, activates, changes }) => [
          <span key="number" class="stateLine">
            <a href={address('deployment', { tagId, number: `${number}` })}>{words.name(number)}</a>
            {isLive && (
              <Mark icon={CircleCheck} tone="good">
                {words.live}
              </Mark>
            )}
          </span>,
          <Time key="at" at={at} />,
          <bdi key="by">{nameOf(by)}</bdi>,
          <bdi key="what">
            {activates === undefined
              ? words.summary(changes.settings, changes.scripts) || words.nothing
              : words.activates(activates)}
          </bdi>,
        ]}
      />
      {past.hasMore && (
        <p class="listFoot">
          <Button isBusy={past.isLoadingMore} onClick={past.loadMore}>
            {manageWords.more}
          </Button>
        </p>
      )}
    </>
  )
}

function Deployments({ tagId }: { tagId: string }) {
  const here = useHere()
  const draft = useRead(['draft', tagId], (api: Client) => api.readDraft({ tagId }))
  const past = usePaged<Awaited<ReturnType<Client['listDeployments']>>, Deployment>({
    queryKey: keyOf(here, ['deployments', tagId]),
    read: (cursor, signal) => callsOf(here, signal).listDeployments({ tagId, limit: 50, ...(cursor && { cursor }) }),
    rowsOf: ({ deployments }) => deployments,
    nextOf: ({ next }) => next,
  })
  return (
    <>
      <PageHead title={frameWords.title('deployments')} below={words.intro} />
      <View of={draft} skeleton={<Skeleton rows={1} />}>
        {(of) => <Drafts tagId={tagId} of={of} />}
      </View>
      <div class="panel flush">
        <div class="panelBody">
          <History tagId={tagId} past={past} />
        </div>
      </div>
    </>
  )
}

/** What is saved and not live, and every state that was live. */
export default function DeploymentsPage() {
  return <OfTag>{({ tagId }) => <Deployments key={tagId} tagId={tagId} />}</OfTag>
}
