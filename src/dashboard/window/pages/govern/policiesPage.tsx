import { CircleCheck, Clock, ExternalLink } from 'lucide'
import type { Client } from '#contract/client.ts'
import type { Policy } from '#contract/policy.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { policyWords as words } from '#dashboard/words/en/govern.ts'
import { useActorName } from '../../data/actors.ts'
import { useHere, useMay, useRead } from '../../data/here.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, Skeleton, View } from '../../parts/view.tsx'

/** The latest version of each type, with whether the team accepted it. */
async function readPolicies(api: Client): Promise<Policy[]> {
  const { policies } = await api.readLatestPolicies({})
  return Promise.all(
    policies.map(({ policyType, version }) => api.readPolicy({ policyId: `${policyType}@${version}` })),
  )
}

/** The text of the policy, and whether a team must accept it. */
const PolicyHead = ({ of: { policyType, version, url, required } }: { of: Policy }) => (
  <span class="row">
    <b>{words.name[policyType]}</b>
    <span class="soft">
      {words.version} {version}
    </span>
    {required && <span class="chip">{words.required}</span>}
    {url && (
      <a href={url} target="_blank" rel="noreferrer">
        {words.read}
        <Icon of={ExternalLink} />
      </a>
    )}
  </span>
)

/** When the team accepted it, and who did. */
function Accepted({ of: { acceptedAt, by } }: { of: Policy }) {
  const nameOf = useActorName()
  return (
    <>
      <Mark icon={CircleCheck} tone="good">
        {words.accepted}
      </Mark>
      {acceptedAt !== undefined && (
        <span class="soft">
          <Time at={acceptedAt} /> {by && <bdi>{words.acceptedBy(nameOf(by))}</bdi>}
        </span>
      )}
    </>
  )
}

function Accept({ of: { policyType, version = '' } }: { of: Policy }) {
  const { why } = useMay('policy:accept')
  return (
    <ConfirmButton
      button={{ isSmall: true, why }}
      title={words.acceptTitle(words.name[policyType], version)}
      label={words.accept}
      variant="primary"
      changes={['policies']}
      call={(api) => api.acceptPolicy({ body: { policyType, version } })}
      text={words.acceptText}
    />
  )
}

function OnePolicy({ of: policy }: { of: Policy }) {
  return (
    <li>
      <PolicyHead of={policy} />
      <span class="line">
        {policy.accepted ? (
          <Accepted of={policy} />
        ) : (
          <>
            <Mark icon={Clock} tone="wait">
              {words.open}
            </Mark>
            <Accept of={policy} />
          </>
        )}
      </span>
    </li>
  )
}

/** The operator's policies for the team to accept. */
export default function PoliciesPage() {
  const { me } = useHere()
  const reading = useRead(['policies'], readPolicies, { isEnabled: me.hasPolicies })
  return (
    <>
      <PageHead title={frameWords.title.policies} below={words.intro} />
      {me.hasPolicies ? (
        <View of={reading} skeleton={<Skeleton rows={3} />}>
          {(policies) => (
            <div class="panel padded">
              <ul class="lineList">
                {policies.map((policy) => (
                  <OnePolicy key={policy.policyType} of={policy} />
                ))}
              </ul>
            </div>
          )}
        </View>
      ) : (
        <Empty title={words.noneTitle}>{words.none}</Empty>
      )}
    </>
  )
}
