import { createOrderStatements } from '#store/sql/orderStatements.ts'
import { sqliteDialect } from './dialect.ts'

export const { addPurchases, touch: touchOrders } = createOrderStatements(sqliteDialect)
