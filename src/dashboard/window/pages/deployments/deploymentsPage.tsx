import { CircleCheck } from 'lucide'
import type { Deployment, Draft } from '#contract/deployment.ts'
import { deploymentWords as words } from '#dashboard/words/en/deployments.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useActorName } from '../../data/actors.ts'
import { useAddress, useHere, useList, useRead } from '../../data/here.tsx'
import { Cards } from '../../parts/cards.tsx'
import { DeployButton, DiscardButton } from '../../parts/deploy.tsx'
import { ListPage, tagPage } from '../../parts/pages.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Skeleton, View } from '../../parts/view.tsx'
import { PromoteLink } from '../moveIn/promotePanel.tsx'
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
function History({ tagId, rows }: { tagId: string; rows: readonly Deployment[] }) {
  const address = useAddress()
  const nameOf = useActorName()
  const numberCell = ({ number, isLive }: Deployment) => (
    <span class="line">
      <a href={address('deployment', { tagId, number: `${number}` })}>{words.name(number)}</a>
      {isLive && (
        <Mark icon={CircleCheck} tone="good">
          {words.live}
        </Mark>
      )}
    </span>
  )
  const whatOf = ({ activates, changes: { settings, scripts } }: Deployment) =>
    activates === undefined ? words.summary(settings, scripts) || words.nothing : words.activates(activates)
  return (
    <Cards
      label={frameWords.title.deployments}
      columns={[
        { name: 'number', label: columns.number, cell: numberCell },
        { name: 'when', label: columns.when, cell: ({ at }) => <Time at={at} /> },
        { name: 'who', label: columns.who, cell: ({ by }) => <bdi>{nameOf(by)}</bdi> },
        { name: 'what', label: columns.what, cell: (deployment) => <bdi>{whatOf(deployment)}</bdi> },
      ]}
      rows={rows}
      keyOf={({ number }) => `${number}`}
    />
  )
}

function Deployments({ tagId }: { tagId: string }) {
  const { environment, teamId, session } = useHere()
  const teamName = session.teams.find((each) => each.teamId === teamId)?.name ?? ''
  const draft = useRead(['draft', tagId], (api) => api.readDraft({ tagId }))
  const past = useList(
    ['deployments', tagId],
    (api, at) => api.listDeployments({ tagId, limit: 50, ...at }),
    ({ deployments }) => deployments,
  )
  return (
    <ListPage
      title={frameWords.title.deployments}
      below={words.intro}
      filters={
        <>
          {environment === 'sandbox' && <PromoteLink teamId={teamId} tagId={tagId} teamName={teamName} />}
          <View of={draft} skeleton={<Skeleton rows={1} />}>
            {(of) => <Drafts tagId={tagId} of={of} />}
          </View>
        </>
      }
      of={past}
      none={null}
    >
      {(rows) => <History tagId={tagId} rows={rows} />}
    </ListPage>
  )
}

/** Saved changes that are not live, and every past deployment. */
export default tagPage(Deployments)
