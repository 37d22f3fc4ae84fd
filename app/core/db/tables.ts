import type { Selectable } from 'kysely'
import type { DB } from './tables.generated.ts'

/** The rows are as the migrations in db/migrations define them. */
export type Tables = DB

/**
 * A flag's kind says what it is on: an origin over the whole edition, a burst from one, or a mark by an earlier version
 * (`antes-`).
 */
export type FlagKind = Selectable<DB['marcas']>['clase']
