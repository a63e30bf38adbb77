import type { StoreChange } from '#store/store.ts'

/** The words of changes: each change has one of them. */
const verbs = [
  ...(['add', 'put', 'drop', 'erase', 'settle', 'stop', 'revoke'] as const),
  ...(['lock', 'approve', 'use', 'sweep', 'account', 'alerting'] as const),
] as const
type Verb = (typeof verbs)[number]

/** The name of a change: `add team` of `{ add: 'team', … }`, and `account` of `{ account: … }`. */
type NameOf<Change> = Change extends unknown
  ? { [Word in Verb & keyof Change]: Change[Word] extends string ? `${Word} ${Change[Word]}` : Word }[Verb &
      keyof Change]
  : never
type Named<Change, Name> = Change extends unknown ? (NameOf<Change> extends Name ? Change : never) : never

export type StoreChangeName = NameOf<StoreChange>

/** What each change writes. */
export type ChangeTable<Change, Written> = {
  readonly [Name in NameOf<Change>]: (change: Named<Change, Name>) => Written
}

type AnyTable<Written> = Readonly<Record<string, ((change: object) => Written) | undefined>>

/** What a change writes; undefined if the table does not have it. */
function find<Written>(table: unknown, change: object): Written | undefined {
  const verb = verbs.find((each) => each in change)!
  const object: unknown = (change as Record<Verb, unknown>)[verb]
  return (table as AnyTable<Written>)[typeof object === 'string' ? `${verb} ${object}` : verb]?.(change)
}

export const lookUp = <Written>(
  table: Partial<ChangeTable<StoreChange, Written>>,
  change: StoreChange,
): Written | undefined => find<Written>(table, change)

/** Looks up what a change writes. */
export const writtenBy =
  <Change extends object, Written>(table: ChangeTable<Change, Written>) =>
  (change: Change): Written =>
    find<Written>(table, change)!
