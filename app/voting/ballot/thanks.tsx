import { useState } from 'react'
import { beaconUrlOf } from '#app/analytics/schema.ts'
import { Button } from '#app/ui/components/button.tsx'
import { DownloadIcon } from '#app/ui/components/icons.tsx'
import { useIsHydrated } from '#app/ui/motion/reduced-motion.ts'
import { Sash } from '#app/ui/ornaments/sash.tsx'
import { imgAttributesOf, Photo } from '#app/ui/photos/photo.tsx'
import { ShareButton } from '#app/ui/sharing/share-button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toneClass } from '#app/ui/styles/tone.ts'
import { withHyphens } from '#app/voting/election/receipt.ts'
import type { VotableCandidate } from './schema.ts'
import styles from './thanks.module.css'

/** Renders the candidate's portrait as the hub of a wheel. The wheel's bulbs light up one by one, then a tick is drawn. */
export const LitWheel = ({ candidate }: { candidate: VotableCandidate }) => (
  <div className={joinClasses(toneClass(candidate.tone), styles.scene)}>
    <div className={styles.wheel}>
      <Photo picture={candidate.portrait} sizes="(max-width: 640px) 42vw, 15rem" className={styles.portrait} />
      {/* Zero-length dashes with round caps draw the 24 bulbs: one every 20 units of the circumference of 480. */}
      <svg viewBox="-100 -100 200 200" fill="none" aria-hidden="true">
        <mask id="encendidos" maskUnits="userSpaceOnUse" x="-100" y="-100" width="200" height="200">
          <circle className={styles.litMask} r="76.394" stroke="#fff" strokeWidth="40" />
        </mask>
        <circle className={styles.rim} r="84" strokeWidth="0.8" />
        <circle className={styles.rim} r="69" strokeWidth="0.8" />
        <circle className={styles.rays} r="76.394" strokeWidth="14" />
        <circle className={styles.unlit} r="76.394" strokeWidth="6.4" />
        <g mask="url(#encendidos)">
          <circle className={styles.halos} r="76.394" strokeWidth="15" />
          <circle className={styles.bulbLights} r="76.394" strokeWidth="6.4" />
        </g>
      </svg>
      <svg className={styles.done} viewBox="0 0 48 48" aria-hidden="true">
        <circle cx="24" cy="24" r="22" />
        <path d="m14.5 24.8 6.6 6.7 13-14.4" />
      </svg>
    </div>
  </div>
)

interface Props {
  candidate: VotableCandidate | undefined
  receipt: string
  year: number
  siteOrigin: string
}

/** Renders the receipt on a sash and, if the candidate is known, buttons to share her link and to save the receipt as a picture. */
export function Thanks({ candidate, receipt, year, siteOrigin, note }: Props & { note: string }) {
  return (
    <div className={styles.thanks}>
      <Sash as="p" className={styles.sash}>
        {candidate && <span className={styles.name}>{candidate.name}</span>}{' '}
        <span className={styles.label}>Tu recibo</span> <span className={styles.code}>{withHyphens(receipt)}</span>
      </Sash>
      <p className={styles.note}>{note}</p>
      {candidate && (
        <div className={styles.actions}>
          <ShareButton
            look="main"
            text={`Voté por ${candidate.name} para Señorita Popularidad ${year}. Vota tú también:`}
            url={`${siteOrigin}/misspopularidad?vote=${candidate.votePlace}&candidata=${candidate.id}`}
            subject={`a ${candidate.name}`}
            pingUrl={beaconUrlOf('compartido', candidate.id)}
          />
          <SaveReceipt candidate={candidate} receipt={receipt} year={year} siteOrigin={siteOrigin} />
        </div>
      )}
    </div>
  )
}

/** Renders the button that saves the receipt as a picture, which the device draws without sending anything. */
function SaveReceipt({ candidate, receipt, year, siteOrigin }: Props & { candidate: VotableCandidate }) {
  const isHydrated = useIsHydrated()
  const [picture, setPicture] = useState<string | 'drawing' | 'failed'>()
  if (!isHydrated) return null
  const draw = async () => {
    if (picture === 'drawing') return
    setPicture('drawing')
    try {
      const { drawReceipt } = await import('./receipt-image.client.ts')
      const { savePicture } = await import('#app/ui/sharing/save-picture.client.ts')
      const { name, tone, portrait } = candidate
      const drawing = await drawReceipt({
        name,
        tone,
        year,
        portraitUrl: imgAttributesOf(portrait).src,
        focalPoint: portrait.focalPoint,
        receipt: withHyphens(receipt),
        siteHost: new URL(siteOrigin).host,
      })
      setPicture(await savePicture(drawing, `recibo-${withHyphens(receipt)}.png`))
    } catch {
      setPicture('failed')
    }
  }
  const isDrawn = picture?.startsWith('blob:')
  return (
    <>
      <Button look="outline" isBusy={picture === 'drawing'} onClick={() => void draw()}>
        <DownloadIcon /> Guardar imagen
      </Button>
      <div className={styles.drawing} role="status">
        {picture === 'failed' && <p>No se pudo dibujar. Tu recibo está arriba: cópialo.</p>}
        {isDrawn && (
          <>
            <img src={picture} width="1080" height="1920" alt={`Tu recibo ${withHyphens(receipt)} para guardar`} />
            <p>Si no se guardó sola, mantén el dedo sobre la imagen y elige guardarla.</p>
          </>
        )}
      </div>
    </>
  )
}
