import {
  Activity,
  AppWindow,
  Bell,
  Blocks,
  Code as CodeIcon,
  FileCheck,
  Fingerprint,
  House,
  type IconNode,
  LayoutGrid,
  List,
  Puzzle,
  Rocket,
  RotateCw,
  ScrollText,
  Send,
  Settings,
  ShieldCheck,
  ShoppingCart,
  SlidersHorizontal,
  SquareTerminal,
  UserSearch,
  Users,
  Webhook,
} from 'lucide'
import { addressOf, basePath, type PageId, type PageRow, pageEntries } from '#dashboard/addresses.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useHere } from '../data/here.tsx'
import { Icon } from '../parts/icon.tsx'

/** The icon of each page that the navigation lists. */
const icons: Partial<Record<PageId, IconNode>> = {
  team: LayoutGrid,
  overview: House,
  live: Activity,
  events: List,
  deliveries: Send,
  channels: Blocks,
  install: CodeIcon,
  orders: ShoppingCart,
  match: Fingerprint,
  replays: RotateCw,
  deployments: Rocket,
  playground: SquareTerminal,
  consent: ShieldCheck,
  plugins: Puzzle,
  visitors: UserSearch,
  settings: SlidersHorizontal,
  members: Users,
  applications: AppWindow,
  hooks: Webhook,
  alerts: Bell,
  policies: FileCheck,
  audit: ScrollText,
  teamSettings: Settings,
}
/** The list page of each object page, to mark the current entry. */
const listOf: Partial<Record<PageId, PageId>> = {
  event: 'events',
  newChannel: 'channels',
  channel: 'channels',
  editChannel: 'channels',
  newTag: 'team',
  moveIn: 'team',
  replay: 'replays',
  deployment: 'deployments',
  visitor: 'visitors',
}

const listed = (of: 'tag' | 'team') => pageEntries.filter(([, row]) => row.isListed && row.of === of)

type NavigationProps = { page: PageId | undefined; tagId: string | undefined; isOpen: boolean }

/** The pages that the person may see, for the tag of the address or the first tag. */
export function Navigation({ page, tagId, isOpen }: NavigationProps) {
  const here = useHere()
  const tag = tagId ?? here.me.tags[0]?.tagId
  const current = page && (listOf[page] ?? page)
  const link = ([id, { scopes }]: readonly [PageId, PageRow]) =>
    scopes.every((scope) => here.me.scopes.includes(scope)) && (
      <li key={id}>
        <a href={addressOf(here, id as 'overview', { tagId: tag! })} aria-current={current === id ? 'page' : undefined}>
          <Icon of={icons[id]!} />
          {frameWords.title[id]}
        </a>
      </li>
    )
  return (
    <nav class={`navigation${isOpen ? ' open' : ''}`} aria-label={frameWords.navigation}>
      <a class="brand" href={basePath(here.environment)}>
        <span class="brandMark" aria-hidden="true" />
        {frameWords.product}
        {here.environment === 'sandbox' && (
          <span class="environment sandbox">{frameWords.environment[here.environment]}</span>
        )}
      </a>
      {tag && <ul>{listed('tag').map(link)}</ul>}
      <p class="navigationPart">{frameWords.chooseTeam}</p>
      <ul>{listed('team').map(link)}</ul>
    </nav>
  )
}
