import * as v from 'valibot'

/** Backups have this format. A change that older versions cannot read needs another number. */
export const BACKUP_FORMAT = 1

/** A backup's id is its moment by the machine's clock, and a random part that distinguishes two of the same second. */
export const ID = /^\d{8}T\d{6}Z-[\da-f]{8}$/

/** The clocks of two machines may differ by this many milliseconds. */
export const CLOCK_SKEW_MS = 5 * 60_000

/** Returns whether a stored moment lies in the future, so that the clock was wrong when it was stored. */
export const isInFuture = (at: Date | null, now: Date): boolean =>
  at !== null && at.getTime() > now.getTime() + CLOCK_SKEW_MS

const Moment = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.check((text) => !Number.isNaN(Date.parse(text))),
)

/** The catalog entry is the public part of a backup, readable also where the rest is encrypted. */
export const CatalogEntrySchema = v.object({
  formato: v.literal(BACKUP_FORMAT, 'se hizo con otra forma de respaldo'),
  id: v.pipe(v.string(), v.regex(ID)),
  /** The database's snapshot is of this ISO moment. */
  momento: Moment,
  cifrada: v.boolean(),
  /** The site had this version, and its last migration. */
  version: v.string(),
  migracion: v.string(),
  /** The checksum is of the manifest as stored, encrypted or not. */
  manifiesto: v.object({ sha256: v.string() }),
})

const ObjectSchema = v.object({
  bucket: v.string(),
  path: v.string(),
  sha256: v.string(),
  contentType: v.string(),
  cacheControlSeconds: v.number(),
  /** The owner has this fingerprint in the erasure log. */
  de: v.optional(v.string()),
})

const StoredFile = v.object({ nombre: v.string(), bytes: v.number() })

export const ManifestSchema = v.object({
  formato: v.literal(BACKUP_FORMAT),
  id: v.string(),
  momento: Moment,
  /** The site has this identity (`siteIdentity`); absent in backups from before this field. */
  sitio: v.optional(v.string()),
  publicUrl: v.string(),
  /** The source's PostgreSQL server had this version. */
  postgres: v.string(),
  migraciones: v.array(v.string()),
  tablas: v.array(
    v.object({
      nombre: v.string(),
      columnas: v.array(v.string()),
      orden: v.array(v.string()),
      filas: v.number(),
      /** The checksum is of the table's text, in key order. */
      sha256: v.string(),
      guardado: StoredFile,
    }),
  ),
  secuencias: v.array(v.object({ nombre: v.string(), valor: v.number(), dado: v.boolean() })),
  objetos: v.array(v.object({ ...ObjectSchema.entries, guardado: StoredFile })),
  /** The database names these objects (`bucket/path`), and the storage does not have them. */
  perdidos: v.array(v.string()),
  /** The secret signs votes and encrypts mail; only encrypted backups have it. */
  secreto: v.optional(v.string()),
})

export type CatalogEntry = v.InferOutput<typeof CatalogEntrySchema>
export type ObjectRecord = v.InferOutput<typeof ObjectSchema>
export type Manifest = v.InferOutput<typeof ManifestSchema>

/** The table at the end of a restore has these rows: the Spanish label, and the database's table. */
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
    COUNTED_TABLES.map(({ nombre, tabla }) => [nombre, tablas.find((one) => one.nombre === tabla)?.filas ?? 0]),
  ) as RowCounts

export const bytesInWords = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
