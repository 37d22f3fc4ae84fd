import type pg from 'pg'
import { about } from './consistency.ts'

/** Asks for a publication that says one word on three screens (/, /nuestra-historia, /medios), as the panel does. */
export const publish = (connection: pg.PoolConfig, word: string): Promise<void> =>
  about(connection, async (pool) => {
    await pool.query(
      `insert into publicaciones (edicion, huella, valores, archivos, origen, created_at)
        select edicion, $1, jsonb_set(jsonb_set(jsonb_set(valores::jsonb, '{inicio.yaml,introduccion}', $2::jsonb),
          '{historia.yaml,entrada}', $2::jsonb), '{prensa.yaml,bienvenida,0}', $2::jsonb)::json, archivos, 'panel', now()
        from publicaciones where id = (select publicacion from ediciones where actual)
        on conflict do nothing`,
      [word, JSON.stringify(word)],
    )
    await pool.query(`select pg_notify('edicion', '')`)
  })
