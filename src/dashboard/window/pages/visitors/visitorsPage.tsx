import { Search } from 'lucide'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { FoundUsers } from '#contract/userRecord.ts'
import { issuesOf } from '#dashboard/api/problem.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { visitorWords as words } from '#dashboard/words/en/visitors.ts'
import { useAction } from '../../data/action.ts'
import { useAddress, useMay } from '../../data/here.tsx'
import { OfTag } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, ProblemLine } from '../../parts/view.tsx'

type By = keyof typeof words.bys
const bys = Object.keys(words.bys) as By[]

type TextProps = {
  label: string
  value: string
  type?: 'text' | 'email'
  hint?: string
  onInput: (text: string) => void
}

const Text = ({ label, value, type = 'text', hint, onInput }: TextProps) => (
  <label class="field">
    <span>{label}</span>
    <input
      // The type of `type` is a union of which each member has attributes of its own.
      type={type as 'text'}
      value={value}
      required
      autocomplete="off"
      spellcheck={false}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
    {hint && <small class="hint">{hint}</small>}
  </label>
)

/** A number or a truth value is searched as such where the text is one. */
function valueOfText(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text
}

/** Searches by a key: as text first, and where that finds nobody as the number or truth value that the text is. */
function useSearch(tagId: string) {
  const action = useAction()
  const [found, setFound] = useState<FoundUsers>()
  const byKey = async (key: string, text: string) => {
    const asText = await action.run((api) => api.findUser({ tagId, body: { key, value: text } }))
    const value = valueOfText(text)
    if (!asText || asText.users.length > 0 || value === text) return asText
    return action.run((api) => api.findUser({ tagId, body: { key, value } }))
  }
  const byEmail = (email: string) => action.run((api) => api.findUser({ tagId, body: { email } }))
  return {
    action,
    found,
    async search(by: 'email' | 'key', text: string, key: string) {
      setFound(undefined)
      setFound(by === 'email' ? await byEmail(text) : await byKey(key, text))
    },
  }
}

const columns = [
  { name: 'id', label: words.userId },
  { name: 'seen', label: words.seen },
  { name: 'how', label: words.by, isHeadHidden: true },
]

function Found({ tagId, of }: { tagId: string; of: FoundUsers }) {
  const address = useAddress()
  return (
    <Panel title={words.found(of.users.length)} isFlush>
      <div role="status">
        {of.isCrowded && <p class="hint padded">{words.crowded}</p>}
        {of.users.length === 0 ? (
          <Empty title={words.nobodyTitle}>{words.nobody}</Empty>
        ) : (
          <Cards<FoundUsers['users'][number]>
            label={words.all}
            columns={columns}
            rows={of.users}
            keyOf={({ userId }) => userId}
            cells={({ userId, seenAt, isConfirmed }) => [
              <a key="id" href={address('visitor', { tagId, userId })}>
                <bdi>{userId}</bdi>
              </a>,
              seenAt !== undefined && <Time key="seen" at={seenAt} look="ago" />,
              isConfirmed && words.confirmed,
            ]}
          />
        )}
      </div>
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
  const { action, found, search } = useSearch(tagId)
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
      <PageHead title={frameWords.title('visitors')} below={words.intro} />
      <Panel title={words.find}>
        <form class="stack narrowForm" onSubmit={submit}>
          <div class="tabs" role="group" aria-label={words.by}>
            {bys.map((each) => (
              <button key={each} type="button" aria-pressed={each === by} onClick={() => setBy(each)}>
                {words.bys[each]}
              </button>
            ))}
          </div>
          {by === 'key' && <Text label={words.key} value={key} hint={words.keyHint} onInput={setKey} />}
          <Text
            label={by === 'email' ? words.email : by === 'userId' ? words.userId : words.value}
            type={by === 'email' ? 'email' : 'text'}
            value={text}
            onInput={setText}
          />
          {issue ? <p class="fieldIssue">{issue.message}</p> : <ProblemLine error={action.error} />}
          <div class="formFoot">
            <Button type="submit" look="primary" icon={Search} why={why} isBusy={action.isBusy}>
              {words.submit}
            </Button>
          </div>
        </form>
      </Panel>
      {found && <Found tagId={tagId} of={found} />}
    </>
  )
}

/** Finds visitors by e-mail, id, or a key of their custom data. */
export default function VisitorsPage() {
  return <OfTag>{({ tagId }) => <Visitors key={tagId} tagId={tagId} />}</OfTag>
}
