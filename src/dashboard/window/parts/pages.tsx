import type { ComponentChildren, ComponentType } from 'preact'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { useAddress, useTag } from '../data/here.tsx'
import type { PagedReading, Reading } from '../data/query.ts'
import { useParam } from '../data/tag.tsx'
import { Button, LinkButton } from './button.tsx'
import { Cards, type CardsProps } from './cards.tsx'
import { PageHead, Panel } from './panel.tsx'
import { Empty, ProblemNote, Skeleton, View } from './view.tsx'

type PageTag = { tagId: string; name: string; tagUrl: string }

/** A page of a tag; shows a message if the tag is unknown or deleted. */
export const tagPage = (Page: ComponentType<PageTag>) => () => {
  const tag = useTag(useParam('tagId'))
  const address = useAddress()
  if (tag) return <Page key={tag.tagId} {...tag} />
  return (
    <Empty
      isPage
      title={frameWords.tagDeleted}
      action={<LinkButton href={address('team', {})}>{frameWords.tagDeletedAction}</LinkButton>}
    />
  )
}

type PagedProps<Row> = {
  of: PagedReading<Row>
  skeleton?: number | undefined
  /** Shown if there are no rows. */
  none: ComponentChildren
  /** The label of the button for more rows. */
  more?: string
  /** Loads more rows when the end of the list comes into view. */
  isScrolled?: boolean
  children: (rows: readonly Row[]) => ComponentChildren
}

/** The rows of a paged list, in all its states. */
export function Paged<Row>({
  of: { rows, isLoading, error, hasMore, isLoadingMore, loadMore, reload },
  skeleton = 6,
  none,
  more = manageWords.more,
  isScrolled,
  children,
}: PagedProps<Row>) {
  if (isLoading) return <Skeleton rows={skeleton} />
  if (error) return <ProblemNote error={error} onRetry={reload} />
  if (rows.length === 0 && !(isScrolled && hasMore)) return <>{none}</>
  return (
    <>
      {children(rows)}
      {isScrolled ? (
        <p class="hint number listFoot" role="status">
          {isLoadingMore ? frameWords.loading : frameWords.loadedRows(rows.length, !hasMore)}
        </p>
      ) : (
        hasMore && (
          <p class="hint number listFoot">
            <Button isBusy={isLoadingMore} onClick={loadMore}>
              {more}
            </Button>
          </p>
        )
      )}
    </>
  )
}

type ListPageProps<Row> = PagedProps<Row> & {
  title: string
  below?: ComponentChildren
  actions?: ComponentChildren
  filters?: ComponentChildren
}

/** A page with a list: head, filters and rows. */
export function ListPage<Row>({ title, below, actions, filters, ...list }: ListPageProps<Row>) {
  return (
    <>
      <PageHead title={title} below={below} actions={actions} />
      {filters}
      <div class="panel flush">
        <Paged {...list} />
      </div>
    </>
  )
}

type ListPanelProps<Data, Row> = Pick<CardsProps<Row>, 'columns' | 'keyOf'> & {
  title: string
  note?: ComponentChildren
  /** The buttons beside the title. */
  actions?: ComponentChildren
  /** The buttons of a row. */
  rowActions?: CardsProps<Row>['actions']
  of: Reading<Data>
  rowsOf: (data: Data) => readonly Row[]
  skeleton?: number
  none?: string
  /** Shown below the rows. */
  foot?: ComponentChildren
}

/** A panel with a list that is read in one call; `none` is the sentence for an empty list. */
export const ListPanel = <Data, Row>({
  title,
  note,
  actions,
  rowActions,
  of,
  rowsOf,
  skeleton = 1,
  none,
  foot,
  ...cards
}: ListPanelProps<Data, Row>) => (
  <Panel title={title} note={note} actions={actions} isFlush>
    <View of={of} skeleton={<Skeleton rows={skeleton} />}>
      {(data) =>
        rowsOf(data).length === 0 && none ? (
          <p class="soft padded">{none}</p>
        ) : (
          <Cards {...cards} label={title} rows={rowsOf(data)} actions={rowActions} />
        )
      }
    </View>
    {foot}
  </Panel>
)

type RowsPanelProps<Row> = Omit<CardsProps<Row>, 'label' | 'actions'> & {
  title: string
  /** The name of the table, if it is not the title. */
  label?: string
  note?: ComponentChildren
  actions?: ComponentChildren
  rowActions?: CardsProps<Row>['actions']
  /** Shown if there are no rows. */
  none?: ComponentChildren
  foot?: ComponentChildren
}

/** A panel with rows that the page has already read. */
export const RowsPanel = <Row,>({
  title,
  label = title,
  note,
  actions,
  rowActions,
  none,
  foot,
  ...cards
}: RowsPanelProps<Row>) => (
  <Panel title={title} note={note} actions={actions} isFlush>
    {cards.rows.length === 0 && none ? none : <Cards {...cards} label={label} actions={rowActions} />}
    {foot}
  </Panel>
)

type PagedPanelProps<Row> = Pick<PagedProps<Row>, 'of' | 'none' | 'skeleton'> &
  Pick<CardsProps<Row>, 'columns' | 'keyOf'> & { title: string; actions?: ComponentChildren }

/** A panel with a paged list. */
export const PagedPanel = <Row,>({ title, actions, of, none, skeleton, ...cards }: PagedPanelProps<Row>) => (
  <Panel title={title} actions={actions} isFlush>
    <Paged of={of} none={none} skeleton={skeleton}>
      {(rows) => <Cards {...cards} label={title} rows={rows} />}
    </Paged>
  </Panel>
)
