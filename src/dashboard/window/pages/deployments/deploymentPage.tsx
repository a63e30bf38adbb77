import { CircleCheck, History } from 'lucide'
import { useLocation } from 'preact-iso/router'
import type { DeploymentDetail } from '#contract/deployment.ts'
import { deploymentWords as words } from '#dashboard/words/en/deployments.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useActorName } from '../../data/actors.ts'
import { deployedReads } from '../../data/draft.ts'
import { useAddress, useMay, useRead } from '../../data/here.tsx'
import { useParam } from '../../data/tag.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { Facts } from '../../parts/code.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, Skeleton, View } from '../../parts/view.tsx'
import { ChangedValues } from './changedValues.tsx'

/** Makes an older deployment live again, after confirmation. */
function RollBack({ tagId, number, isLive }: { tagId: string; number: number; isLive: boolean }) {
  const { route } = useLocation()
  const address = useAddress()
  const { why } = useMay('deploy')
  return (
    <ConfirmButton
      button={{ icon: History, why: why ?? (isLive ? words.isLive : undefined) }}
      title={words.rollBackTitle(number)}
      label={words.rollBack}
      variant="primary"
      changes={deployedReads}
      call={(api) => api.activateDeployment({ tagId, number })}
      onDone={(made) => route(address('deployment', { tagId, number: `${made.number}` }))}
      text={words.rollBackText}
    />
  )
}

function Detail({ tagId, of }: { tagId: string; of: DeploymentDetail }) {
  const address = useAddress()
  const nameOf = useActorName()
  const { number, at, by, isLive, activates, values } = of
  const isEmpty = values.settings.length === 0 && values.scripts.length === 0
  const beside = (other: number) => address('deployment', { tagId, number: `${other}` })
  return (
    <>
      <PageHead
        above={<a href={address('deployments', { tagId })}>{frameWords.title.deployments}</a>}
        title={words.name(number)}
        below={
          isLive && (
            <Mark icon={CircleCheck} tone="good">
              {words.live}
            </Mark>
          )
        }
        actions={
          <>
            {number > 1 && <LinkButton href={beside(number - 1)}>{words.previous}</LinkButton>}
            {!isLive && <LinkButton href={beside(number + 1)}>{words.next}</LinkButton>}
            <RollBack tagId={tagId} number={number} isLive={isLive} />
          </>
        }
      />
      <Facts
        of={[
          [words.facts.who, <bdi key="who">{nameOf(by)}</bdi>],
          [words.facts.when, <Time key="when" at={at} />],
          activates !== undefined && [
            words.facts.activates,
            <a key="activates" href={beside(activates)}>
              {words.name(activates)}
            </a>,
          ],
        ]}
      />
      {number === 1 && <p class="soft">{words.first}</p>}
      {isEmpty ? <Empty title={words.unchanged} /> : <ChangedValues tagId={tagId} of={values} />}
    </>
  )
}

function OneDeployment({ tagId }: { tagId: string }) {
  const text = useParam('number')
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
  const reading = useRead(['deployment', tagId, number], (api) => api.readDeployment({ tagId, number }))
  return (
    <View of={reading} skeleton={<Skeleton rows={6} />}>
      {(of) => <Detail tagId={tagId} of={of} />}
    </View>
  )
}

/** One deployment: its author and time, and each value before and after. */
export default tagPage(OneDeployment)
