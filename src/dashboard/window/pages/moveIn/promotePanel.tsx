import { TriangleAlert } from 'lucide'
import { useEffect } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { Script } from '#contract/script.ts'
import { apiPath, basePath } from '#dashboard/addresses.ts'
import { problemOf } from '#dashboard/api/problem.ts'
import { calls } from '#dashboard/api/sessionClient.ts'
import type { ProviderRow } from '#dashboard/form/channelForm.ts'
import { type Promotion, promotionOf } from '#dashboard/form/promotion.ts'
import { moveInWords as words } from '#dashboard/words/en/moveIn.ts'
import { callsOf } from '../../data/here.tsx'
import { useQuery } from '../../data/query.ts'
import { Panel } from '../../parts/panel.tsx'
import { Note, ProblemNote, Skeleton } from '../../parts/view.tsx'

/** Every saved channel of a tag. */
export async function readScripts(api: Client, tagId: string): Promise<Script[]> {
  const all: Script[] = []
  let cursor: string | undefined
  do {
    const { scripts, next } = await api.listScripts({ tagId, limit: 200, ...(cursor !== undefined && { cursor }) })
    all.push(...scripts)
    cursor = next
  } while (cursor !== undefined)
  return all
}

/** Parses `team.tag` of the address. */
const placeOf = (text: string) => {
  const [teamId = '', tagId = ''] = text.split('.')
  return { teamId, tagId }
}

type PromotePanelProps = { of: string; providers: readonly ProviderRow[]; onRead: (promotion: Promotion) => void }

/** Reads the tag with the person's own session of the sandbox: only this browser connects the two environments. */
export function PromotePanel({ of, providers, onRead }: PromotePanelProps) {
  const { teamId, tagId } = placeOf(of)
  const reading = useQuery({
    queryKey: ['sandbox', teamId, 'promotion', tagId],
    queryFn: async ({ signal }) => {
      const api = callsOf({ environment: 'sandbox', teamId }, signal)
      const [tag, scripts] = [await api.readTag({ tagId }), await readScripts(api, tagId)]
      return promotionOf(tag, scripts, providers)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  useEffect(() => {
    if (reading.data) onRead(reading.data)
  }, [reading.data])
  if (reading.error && problemOf(reading.error).kind === 'signedOut')
    return (
      <Note
        icon={TriangleAlert}
        title={words.promoteSignIn}
        action={
          <a class="button primary" href={basePath('sandbox')} target="_self">
            {words.promoteOpen}
          </a>
        }
      >
        {words.promoteSignInText}
      </Note>
    )
  if (reading.error) return <ProblemNote error={reading.error} onRetry={() => void reading.refetch()} />
  if (!reading.data) return <Skeleton rows={4} />
  return (
    <Panel title={words.promoteFrom(reading.data.name)} note={words.promoteNote}>
      <p role="status">{words.promoteRead(reading.data.result.configuration.tags[0].scripts.length)}</p>
    </Panel>
  )
}

/** A link from a sandbox tag to the production page that plans it. Needs an open session in production. */
export function PromoteLink({ teamId, tagId, teamName }: { teamId: string; tagId: string; teamName: string }) {
  const session = useQuery({
    queryKey: ['production', 'session'],
    queryFn: ({ signal }) => calls({ apiPath: apiPath('production'), origin: location.origin, signal }).readSession(),
    retry: false,
  })
  const teams = session.data?.teams ?? []
  const team = teams.find(({ name }) => name === teamName) ?? teams[0]
  const base = basePath('production')
  const href = team ? `${base}/${team.teamId}/move-in?sandbox=${teamId}.${tagId}` : base
  return (
    <p>
      <a class="button plain" href={href} target="_self">
        {words.promote}
      </a>{' '}
      {session.error && <span class="soft">{words.promoteProductionFirst}</span>}
    </p>
  )
}
