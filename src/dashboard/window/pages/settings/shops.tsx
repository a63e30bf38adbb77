import { Plus } from 'lucide'
import type { Shop } from '#contract/shop.ts'
import { type ShopName, type ShopSecretName, shopNames } from '#contract/shopNames.ts'
import type { Tag } from '#contract/tag.ts'
import { type ShopDraft, secretsOf, shopDraftOf, shopsWith } from '#dashboard/form/shopForm.ts'
import { shopWords as words } from '#dashboard/words/en/shops.ts'
import type { Form } from '../../data/form.ts'
import { useHere, useMay } from '../../data/here.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { FormButton } from '../../parts/formDialog.tsx'
import { CheckRow, SelectField, TextField } from '../../parts/inputs.tsx'
import { RowsPanel } from '../../parts/pages.tsx'

type ShopProps = { tag: Tag; source: ShopName; why: string | undefined }

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
function Keys({ form: { field, draft, issues }, set }: { form: Form<ShopDraft>; set: readonly ShopSecretName[] }) {
  const { source } = draft
  const { value: secrets, onChange } = field('secrets')
  return (
    <>
      <TextField {...field('shop')} label={words.nameLabel} help={words.nameHints[source]} />
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
          onChange={(text) => onChange({ ...secrets, [name]: text })}
        />
      ))}
    </>
  )
}

/** How a shop's orders are handled. */
const Choices = ({ form: { field } }: { form: Form<ShopDraft> }) => (
  <>
    <SelectField {...field('purchaseOn')} label={words.purchaseOn} options={Object.entries(words.purchaseOns)} />
    <SelectField {...field('orderId')} label={words.orderId} options={Object.entries(words.orderIds)} />
    <SelectField {...field('productIdFrom')} label={words.productId} options={Object.entries(words.productIds)} />
    <TextField {...field('salesChannels')} label={words.salesChannels} help={words.salesChannelsHint} rows={2} />
    <TextField {...field('joinSeconds')} label={words.joinSeconds} help={words.joinHint} inputMode="decimal" />
    <CheckRow {...field('sendRefunds')} label={words.sendRefunds} />
    <CheckRow {...field('sendTests')} label={words.sendTests} />
  </>
)

/** Connects or changes a shop, and switches its source on. */
function ShopButton({ tag, source, why }: ShopProps) {
  const known = shopOf(tag, source)
  const sealFor = useSealFor()
  const { tagId, shops = [], sources, version: ifMatch } = tag
  const icon = known ? {} : { icon: Plus }
  return (
    <FormButton
      button={{ isSmall: true, ...icon, why, children: known ? words.edit : words.connect }}
      title={words.connectTitle(words.names[source])}
      label={words.save}
      start={shopDraftOf(source, known)}
      isReady={({ shop, secrets }) => shop.trim() !== '' && (known !== undefined || secrets.WEBHOOK_KEY.trim() !== '')}
      changes={['tag']}
      call={async (api, draft) => {
        const body = {
          shops: await shopsWith(tag, source, draft, sealFor),
          sources: [...new Set([...sources, source])],
        }
        return api.updateTag({ tagId, body, ifMatch })
      }}
      issuePath={`shops.${known ? shops.length - 1 : shops.length}.`}
    >
      {(form) => (
        <>
          <Keys form={form} set={known?.secrets ?? []} />
          <Choices form={form} />
        </>
      )}
    </FormButton>
  )
}

function RemoveButton({ tag, source, why }: ShopProps) {
  const sealFor = useSealFor()
  return (
    <ConfirmButton
      button={{ isSmall: true, why }}
      title={words.removeTitle(words.names[source])}
      label={words.remove}
      changes={['tag']}
      call={async (api) => {
        const shops = await shopsWith(tag, source, undefined, sealFor)
        return api.updateTag({ tagId: tag.tagId, body: { shops }, ifMatch: tag.version })
      }}
      text={words.removeText}
    />
  )
}

/** The shops whose webhooks a tag accepts, and their keys. */
export function Shops({ tag }: { tag: Tag }) {
  const { why } = useMay('tag:write')
  const { columns } = words
  return (
    <RowsPanel
      title={words.title}
      note={words.hint}
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
      rowActions={(source) => (
        <>
          <ShopButton tag={tag} source={source} why={why} />
          {shopOf(tag, source) && <RemoveButton tag={tag} source={source} why={why} />}
        </>
      )}
      rows={shopNames}
      keyOf={(source) => source}
    />
  )
}
