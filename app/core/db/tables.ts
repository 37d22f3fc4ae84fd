import type { Selectable } from 'kysely'
import type { DB } from './tables.generated.ts'

/** The tables as the migrations in db/migrations define them. */
export type Tables = DB

/** Kinds of flags: on an origin over the whole edition, on a burst of an origin, or set by an earlier version (`antes-`). */
export type FlagKind = Selectable<DB['marcas']>['clase']
