import { Plus } from 'lucide'
import { useState } from 'preact/hooks'
import type { Shop } from '#contract/shop.ts'
import { type ShopName, type ShopSecretName, shopNames } from '#contract/shopNames.ts'
import type { Tag } from '#contract/tag.ts'
import { type ShopDraft, secretsOf, shopDraftOf, shopsWith } from '#dashboard/form/shopForm.ts'
import { shopWords as words } from '#dashboard/words/en/shops.ts'
import { useAction } from '../../data/action.ts'
import { useHere, useMay } from '../../data/here.tsx'
import { Cards } from '../../parts/cards.tsx'
import { ConfirmDialog } from '../../parts/confirmDialog.tsx'
import { DialogButton, FormDialog } from '../../parts/formDialog.tsx'
import { CheckRow, SelectField, TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'

type ShopProps = { tag: Tag; source: ShopName; onClose: () => void }
type FieldsProps = { draft: ShopDraft; change: (next: Partial<ShopDraft>) => void; issues: Record<string, string> }

const shopOf = ({ shops = [] }: Tag, source: ShopName): Shop | undefined => shops.find((each) => each.source === source)
const useSealFor = () => {
  const { environment, teamId, me } = useHere()
  return { environment, teamId, key: me.encryptionKey }
}

function hintOf(name: ShopSecretName, source: ShopName, isSet: boolean): string {
  if (isSet) return words.isSet
  return name === 'PREVIOUS_WEBHOOK_KEY' ? words.previousHint : name === 'WEBHOOK_KEY' ? words.secretHints[source] : ''
}

/** The name of a shop and its secrets. */
function Keys({ draft, change, issues, set }: FieldsProps & { set: readonly ShopSecretName[] }) {
  const { source, secrets } = draft
  return (
    <>
      <TextField
        label={words.nameLabel}
        help={words.nameHints[source]}
        issue={issues.shop}
        value={draft.shop}
        onChange={(shop) => change({ shop })}
      />
      {secretsOf(source).map((name) => (
        <TextField
          key={name}
          label={words.secrets[name]}
          type="password"
          autocomplete="new-password"
          help={hintOf(name, source, set.includes(name))}
          issue={name === 'WEBHOOK_KEY' ? issues.secrets : undefined}
          isOptional={name === 'PREVIOUS_WEBHOOK_KEY'}
          value={secrets[name]}
          onChange={(text) => change({ secrets: { ...secrets, [name]: text } })}
        />
      ))}
    </>
  )
}

/** What becomes of the orders of a shop. */
function Choices({ draft, change, issues }: FieldsProps) {
  return (
    <>
      <SelectField
        label={words.purchaseOn}
        options={Object.entries(words.purchaseOns)}
        value={draft.purchaseOn}
        onChange={(purchaseOn) => change({ purchaseOn })}
      />
      <SelectField
        label={words.orderId}
        options={Object.entries(words.orderIds)}
        value={draft.orderId}
        onChange={(orderId) => change({ orderId })}
      />
      <SelectField
        label={words.productId}
        options={Object.entries(words.productIds)}
        value={draft.productIdFrom}
        onChange={(productIdFrom) => change({ productIdFrom })}
      />
      <TextField
        label={words.salesChannels}
        help={words.salesChannelsHint}
        issue={issues.salesChannels}
        rows={2}
        value={draft.salesChannels}
        onChange={(salesChannels) => change({ salesChannels })}
      />
      <TextField
        label={words.joinSeconds}
        help={words.joinHint}
        issue={issues.joinMs}
        inputMode="decimal"
        value={draft.joinSeconds}
        onChange={(joinSeconds) => change({ joinSeconds })}
      />
      <CheckRow
        label={words.sendRefunds}
        checked={draft.sendRefunds}
        onChange={(sendRefunds) => change({ sendRefunds })}
      />
      <CheckRow label={words.sendTests} checked={draft.sendTests} onChange={(sendTests) => change({ sendTests })} />
    </>
  )
}

/** Connects a shop, or changes it, and switches its source on. */
function ShopDialog({ tag, source, onClose }: ShopProps) {
  const known = shopOf(tag, source)
  const [draft, setDraft] = useState(() => shopDraftOf(source, known))
  const action = useAction('tag')
  const sealFor = useSealFor()
  const at = known ? (tag.shops?.length ?? 1) - 1 : (tag.shops?.length ?? 0)
  const fields = ['shop', 'secrets', 'salesChannels', 'joinMs']
  const found = action.issues(...fields.map((name) => `shops.${at}.${name}`))
  const issues = Object.fromEntries(
    Object.entries(found).map(([path, text]) => [path.slice(path.lastIndexOf('.') + 1), text]),
  )
  const save = async () => {
    const saved = await action.run(async (api) => {
      const shops = await shopsWith(tag, source, draft, sealFor)
      const sources = [...new Set([...tag.sources, source])]
      return api.updateTag({ tagId: tag.tagId, body: { shops, sources }, ifMatch: tag.version })
    })
    if (saved) onClose()
  }
  const form = { draft, issues, change: (next: Partial<ShopDraft>) => setDraft({ ...draft, ...next }) }
  const isReady = draft.shop.trim() !== '' && (known !== undefined || draft.secrets.WEBHOOK_KEY.trim() !== '')
  return (
    <FormDialog
      title={words.connectTitle(words.names[source])}
      label={words.save}
      action={action}
      issues={issues}
      isReady={isReady}
      onSubmit={save}
      onClose={onClose}
    >
      <Keys {...form} set={known?.secrets ?? []} />
      <Choices {...form} />
    </FormDialog>
  )
}

function RemoveDialog({ tag, source, onClose }: ShopProps) {
  const sealFor = useSealFor()
  return (
    <ConfirmDialog
      title={words.removeTitle(words.names[source])}
      label={words.remove}
      changes={['tag']}
      call={async (api) => {
        const shops = await shopsWith(tag, source, undefined, sealFor)
        return api.updateTag({ tagId: tag.tagId, body: { shops }, ifMatch: tag.version })
      }}
      onClose={onClose}
    >
      <p>{words.removeText}</p>
    </ConfirmDialog>
  )
}

/** The shops whose webhooks a tag takes, and their keys. */
export function Shops({ tag }: { tag: Tag }) {
  const { why } = useMay('tag:write')
  const { columns } = words
  return (
    <Panel title={words.title} note={words.hint} isFlush>
      <Cards
        label={words.title}
        columns={[
          { name: 'shop', label: columns.shop, cell: (source) => words.names[source] },
          {
            name: 'name',
            label: columns.name,
            cell: (source) => shopOf(tag, source)?.shop ?? <span class="soft">{words.notConnected}</span>,
          },
          {
            name: 'keys',
            label: columns.keys,
            cell: (source) => shopOf(tag, source)?.secrets.map((name) => <div key={name}>{words.secrets[name]}</div>),
          },
          {
            name: 'address',
            label: columns.address,
            cell: (source) => (shopOf(tag, source) ? <code>{`${tag.tagUrl}/${source}/webhook`}</code> : ''),
          },
        ]}
        actions={(source) => (
          <>
            <DialogButton
              isSmall
              {...(!shopOf(tag, source) && { icon: Plus })}
              why={why}
              dialog={(close) => <ShopDialog tag={tag} source={source} onClose={close} />}
            >
              {shopOf(tag, source) ? words.edit : words.connect}
            </DialogButton>
            {shopOf(tag, source) && (
              <DialogButton
                isSmall
                why={why}
                dialog={(close) => <RemoveDialog tag={tag} source={source} onClose={close} />}
              >
                {words.remove}
              </DialogButton>
            )}
          </>
        )}
        rows={shopNames}
        keyOf={(source) => source}
      />
    </Panel>
  )
}
