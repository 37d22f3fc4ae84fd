import type { Selectable } from 'kysely'
import type { DB } from './tables.generated.ts'

/** The tables as the migrations in db/migrations define them. */
export type Tables = DB

/** What a flag is on: an origin over the whole edition, a burst from an origin, or a flag of an earlier version (`antes-`). */
export type FlagKind = Selectable<DB['marcas']>['clase']
