import * as v from 'valibot'

/** Number of the backups' format. It is increased by a change that older versions cannot read. */
export const BACKUP_FORMAT = 1

/** Matches a backup's id: its moment by the machine's clock, and a random part, which differs for backups of the same second. */
export const BACKUP_ID_PATTERN = /^\d{8}T\d{6}Z-[\da-f]{8}$/

/** The clocks of two machines may differ by this much. */
export const CLOCK_SKEW_MS = 5 * 60_000

/** Returns whether a stored moment is in the future, so that the clock was wrong when it was stored, or is wrong now. */
export const isInFuture = (at: Date | null, now: Date): boolean =>
  at !== null && at.getTime() > now.getTime() + CLOCK_SKEW_MS

const MomentSchema = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.check((text) => !Number.isNaN(Date.parse(text))),
)

/** The part of a backup that is never encrypted. */
export const CatalogEntrySchema = v.object({
  formato: v.literal(BACKUP_FORMAT, 'se hizo con otra forma de respaldo'),
  id: v.pipe(v.string(), v.regex(BACKUP_ID_PATTERN)),
  /** ISO moment of the database's snapshot. */
  momento: MomentSchema,
  cifrada: v.boolean(),
  /** Version of the site. */
  version: v.string(),
  /** Last applied migration. */
  migracion: v.string(),
  /** Checksum of the manifest as stored, encrypted or not. */
  manifiesto: v.object({ sha256: v.string() }),
})

const ObjectSchema = v.object({
  bucket: v.string(),
  path: v.string(),
  sha256: v.string(),
  contentType: v.string(),
  cacheControlSeconds: v.number(),
  /** Fingerprint of the owner in the erasure log; absent for an edition's object. */
  de: v.optional(v.string()),
})

const StoredFileSchema = v.object({ nombre: v.string(), bytes: v.number() })

export const ManifestSchema = v.object({
  formato: v.literal(BACKUP_FORMAT),
  id: v.string(),
  momento: MomentSchema,
  /** Identity of the site (`siteIdentity`); absent in older backups. */
  sitio: v.optional(v.string()),
  publicUrl: v.string(),
  /** Version of the PostgreSQL server. */
  postgres: v.string(),
  migraciones: v.array(v.string()),
  tablas: v.array(
    v.object({
      nombre: v.string(),
      columnas: v.array(v.string()),
      orden: v.array(v.string()),
      filas: v.number(),
      /** Checksum of the table's text in key order. */
      sha256: v.string(),
      guardado: StoredFileSchema,
    }),
  ),
  secuencias: v.array(v.object({ nombre: v.string(), valor: v.number(), dado: v.boolean() })),
  objetos: v.array(v.object({ ...ObjectSchema.entries, guardado: StoredFileSchema })),
  /** Paths (`bucket/path`) of objects that the database names, but that the storage lacks or has damaged. */
  perdidos: v.array(v.string()),
  /** Secret that signs votes and encrypts mail. Only encrypted backups contain it. */
  secreto: v.optional(v.string()),
})

export type CatalogEntry = v.InferOutput<typeof CatalogEntrySchema>
export type ObjectRecord = v.InferOutput<typeof ObjectSchema>
export type Manifest = v.InferOutput<typeof ManifestSchema>

/** Rows of the table that a restore or a move prints at its end: Spanish label, and table of the database. */
export const COUNTED_TABLES = [
  { nombre: 'entradas', tabla: 'inscripciones' },
  { nombre: 'documentos', tabla: 'documentos' },
  { nombre: 'votos', tabla: 'banda_digital_votes' },
  { nombre: 'sellos', tabla: 'lotes' },
  { nombre: 'cuentas', tabla: 'profiles' },
  { nombre: 'publicaciones', tabla: 'publicaciones' },
] as const

export type RowCounts = Record<(typeof COUNTED_TABLES)[number]['nombre'], number>

export const countsOf = (tablas: readonly { nombre: string; filas: number }[]): RowCounts =>
  Object.fromEntries(
    COUNTED_TABLES.map(({ nombre, tabla }) => [nombre, tablas.find((table) => table.nombre === tabla)?.filas ?? 0]),
  ) as RowCounts

export const bytesInWords = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
