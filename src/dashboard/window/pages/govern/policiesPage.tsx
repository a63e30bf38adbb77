import { CircleCheck, Clock } from 'lucide'
import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { Policy } from '#contract/policy.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { policyWords as words } from '#dashboard/words/en/govern.ts'
import { useAction } from '../../data/action.ts'
import { useMay, useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirmDialog.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Empty, Skeleton, View } from '../../parts/view.tsx'

/** The latest version of each type, with whether the team accepted it. */
async function readPolicies(api: Client): Promise<Policy[]> {
  const { policies } = await api.readLatestPolicies({})
  return Promise.all(
    policies.map(({ policyType, version }) => api.readPolicy({ policyId: `${policyType}@${version}` })),
  )
}

function OnePolicy({ of: { policyType, version = '', accepted } }: { of: Policy }) {
  const { why } = useMay('policy:accept')
  const action = useAction('policies')
  const [isAsking, setAsking] = useState(false)
  const name = words.name(policyType)
  const accept = async () => {
    if (await action.run((api) => api.acceptPolicy({ body: { policyType, version } }))) setAsking(false)
  }
  return (
    <li>
      <span>
        <b>{name}</b>{' '}
        <span class="soft">
          {words.version} {version}
        </span>
      </span>
      <span class="stateLine">
        {accepted ? (
          <Mark icon={CircleCheck} tone="good">
            {words.accepted}
          </Mark>
        ) : (
          <>
            <Mark icon={Clock} tone="wait">
              {words.open}
            </Mark>
            <Button isSmall why={why} onClick={() => setAsking(true)}>
              {words.accept}
            </Button>
          </>
        )}
      </span>
      {isAsking && (
        <ConfirmDialog
          title={words.acceptTitle(name, version)}
          label={words.accept}
          look="primary"
          action={action}
          onConfirm={accept}
          onClose={() => setAsking(false)}
        >
          <p>{words.acceptText}</p>
        </ConfirmDialog>
      )}
    </li>
  )
}

/** What the operator asks the team to accept. */
export default function PoliciesPage() {
  const reading = useRead(['policies'], readPolicies)
  return (
    <>
      <PageHead title={frameWords.title('policies')} below={words.intro} />
      <View of={reading} skeleton={<Skeleton rows={3} />}>
        {(policies) =>
          policies.length === 0 ? (
            <Empty title={words.noneTitle}>{words.none}</Empty>
          ) : (
            <div class="panel padded">
              <ul class="lineList">
                {policies.map((policy) => (
                  <OnePolicy key={policy.policyType} of={policy} />
                ))}
              </ul>
            </div>
          )
        }
      </View>
    </>
  )
}
