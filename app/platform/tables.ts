/** Rows as the migrations in db/migrations leave them. */
// biome-ignore lint/complexity/noBannedTypes: no table yet
export type Tables = {}
