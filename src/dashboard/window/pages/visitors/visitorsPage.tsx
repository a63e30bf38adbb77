import { Search as SearchIcon, UserX } from 'lucide'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Client } from '#contract/client.ts'
import type { FoundUsers } from '#contract/userRecord.ts'
import { issuesOf } from '#dashboard/api/problem.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { visitorWords as words } from '#dashboard/words/en/visitors.ts'
import { useAction } from '../../data/action.ts'
import { useAddress, useMay } from '../../data/here.tsx'
import { zone } from '../../data/signal.ts'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { Tabs, TextField } from '../../parts/inputs.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, ProblemLine } from '../../parts/view.tsx'

type By = keyof typeof words.bys

/** Parses text that is a number or a truth value. */
function valueOfText(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text
}

/** The users found so far, and the range that was searched. */
type Search = FoundUsers & { email?: string }

/** Searches by a key: as text first, and if that finds nobody as the number or truth value of the text. */
function useSearch(tagId: string) {
  const action = useAction()
  const [found, setFound] = useState<Search>()
  const byKey = async (key: string, text: string) => {
    const asText = await action.run((api) => api.findUser({ tagId, body: { key, value: text } }))
    const value = valueOfText(text)
    if (!asText || asText.users.length > 0 || value === text) return asText
    return action.run((api) => api.findUser({ tagId, body: { key, value } }))
  }
  const byEmail = (email: string, cursor?: string) =>
    action.run((api) => api.findUser({ tagId, body: { email, ...(cursor !== undefined && { cursor }) } }))
  return {
    action,
    found,
    async search(by: 'email' | 'key', text: string, key: string) {
      setFound(undefined)
      const next = by === 'email' ? await byEmail(text) : await byKey(key, text)
      setFound(next && { ...next, ...(by === 'email' && { email: text }) })
    },
    /** Continues with older events. */
    async searchOlder() {
      if (found?.email === undefined || found.next === undefined) return
      const older = await byEmail(found.email, found.next)
      if (!older) return
      const known = new Set(found.users.map(({ userId }) => userId))
      const users = [...found.users, ...older.users.filter(({ userId }) => !known.has(userId))]
      setFound({ ...older, users, email: found.email })
    },
    /** Removes erased visitors from the result. */
    forget: (erased: readonly string[]) =>
      setFound(
        (before) => before && { ...before, users: before.users.filter(({ userId }) => !erased.includes(userId)) },
      ),
  }
}

/** Erases everybody found: stored visitors, visitors who claimed the address, and users of events. */
function EraseFound({ tagId, of, onErased }: { tagId: string; of: Search; onErased: (userIds: string[]) => void }) {
  const { why } = useMay('user:erase')
  const erase = async (api: Client) => {
    const erased: string[] = []
    try {
      for (const { userId } of of.users) {
        await api.eraseUser({ tagId, userId })
        erased.push(userId)
      }
    } finally {
      onErased(erased)
    }
  }
  return (
    <ConfirmButton
      button={{ variant: 'danger', isSmall: true, icon: UserX, why, children: words.eraseAll(of.users.length) }}
      title={words.eraseAllTitle(of.users.length)}
      label={words.erase}
      typed={{ text: of.email!, label: words.eraseConfirm(of.email!) }}
      changes={['user', 'events']}
      call={erase}
      text={words.eraseText}
    >
      {of.next !== undefined && <p>{words.eraseOlder}</p>}
    </ConfirmButton>
  )
}

/** How a visitor was found. */
const wayOf = ({ isConfirmed, isFromEvent }: FoundUsers['users'][number]) =>
  isConfirmed ? words.confirmed : isFromEvent ? words.fromEvent : undefined

type FoundProps = {
  tagId: string
  of: Search
  isBusy: boolean
  onOlder: () => void
  onErased: (userIds: string[]) => void
}

function Found({ tagId, of, isBusy, onOlder, onErased }: FoundProps) {
  const address = useAddress()
  const searched = words.searched(of.searched, of.eventsFrom, zone.value.value)
  return (
    <Panel
      title={words.found(of.users.length)}
      note={of.users.length > 0 && searched}
      isFlush
      actions={
        of.email !== undefined && of.users.length > 0 && <EraseFound tagId={tagId} of={of} onErased={onErased} />
      }
    >
      <div role="status">
        {of.isCrowded && <p class="hint padded">{words.crowded}</p>}
        {of.isShared && <p class="hint padded">{words.shared}</p>}
        {of.users.length === 0 ? (
          <Empty title={words.nobodyTitle}>
            {searched} {words.nobody}
          </Empty>
        ) : (
          <Cards
            label={frameWords.title.visitors}
            columns={[
              {
                name: 'id',
                label: words.userId,
                cell: ({ userId }) => (
                  <a href={address('visitor', { tagId, userId })}>
                    <bdi>{userId}</bdi>
                  </a>
                ),
              },
              {
                name: 'seen',
                label: words.seen,
                cell: ({ seenAt }) => seenAt !== undefined && <Time at={seenAt} format="ago" />,
              },
              { name: 'how', label: words.by, isHeadHidden: true, cell: wayOf },
            ]}
            rows={of.users}
            keyOf={({ userId }) => userId}
          />
        )}
      </div>
      {of.next !== undefined && (
        <p class="hint number listFoot">
          <Button isBusy={isBusy} onClick={onOlder}>
            {words.searchOlder}
          </Button>
        </p>
      )}
    </Panel>
  )
}

function Visitors({ tagId }: { tagId: string }) {
  const { route } = useLocation()
  const address = useAddress()
  const { why } = useMay('user:read')
  const [by, setBy] = useState<By>('email')
  const [text, setText] = useState('')
  const [key, setKey] = useState('')
  const { action, found, search, searchOlder, forget } = useSearch(tagId)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const trimmed = text.trim()
    if (why || trimmed === '') return
    if (by === 'userId') route(address('visitor', { tagId, userId: trimmed }))
    else void search(by, trimmed, key.trim())
  }
  const [issue] = issuesOf(action.error)
  return (
    <>
      <PageHead title={frameWords.title.visitors} below={words.intro} />
      <Panel title={words.find}>
        <form class="stack narrowForm" onSubmit={submit}>
          <Tabs label={words.by} of={words.bys} value={by} onChange={setBy} />
          {by === 'key' && <TextField label={words.key} value={key} help={words.keyHint} required onChange={setKey} />}
          <TextField
            label={by === 'email' ? frameWords.email : by === 'userId' ? words.userId : frameWords.value}
            type={by === 'email' ? 'email' : 'text'}
            required
            value={text}
            onChange={setText}
          />
          {issue ? <p class="fieldIssue">{issue.message}</p> : <ProblemLine error={action.error} />}
          <div class="row">
            <Button type="submit" variant="primary" icon={SearchIcon} why={why} isBusy={action.isBusy}>
              {words.submit}
            </Button>
          </div>
        </form>
      </Panel>
      {found && (
        <Found tagId={tagId} of={found} isBusy={action.isBusy} onOlder={() => void searchOlder()} onErased={forget} />
      )}
    </>
  )
}

/** Finds visitors by e-mail, id, or a key of their custom data. */
export default tagPage(Visitors)
