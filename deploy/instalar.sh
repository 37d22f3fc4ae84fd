#!/bin/sh
# Instala o actualiza el sitio en un Debian 12 o 13: se ejecuta como root, dentro del paquete abierto.
# Repetirlo no cambia nada de lo que ya está. Con --sin-systemd no pone el servicio (contenedores, pruebas).
set -eu
systemd=si
for opcion in "$@"; do
  case $opcion in
    --sin-systemd) systemd=no ;;
    *) echo 'Se usa así: deploy/instalar.sh [--sin-systemd]' >&2; exit 1 ;;
  esac
done
avisa() { echo "$*"; }
falla() { echo "$*" >&2; exit 1; }

paquete=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
[ -f "$paquete/paquete.json" ] || falla 'Aquí no hay un paquete: ábrelo con tar -xzf y ejecuta deploy/instalar.sh desde su carpeta.'
[ "$(id -u)" = 0 ] || falla 'Hay que ser root: repite la orden con sudo.'
# Un paquete sin Node dice aquí si el de la máquina le alcanza.
sh "$paquete/certamen" ayuda >/dev/null || exit 1
if [ $systemd = si ] && [ ! -d /run/systemd/system ]; then
  falla 'Aquí no corre systemd: repite la orden con --sin-systemd.'
fi

# 1. Su propia cuenta, sin contraseña ni terminal, y sus carpetas.
id certamen >/dev/null 2>&1 || useradd --system --user-group --home-dir /var/lib/certamen --no-create-home --shell /usr/sbin/nologin certamen
install -d -m 0755 /opt/certamen /etc/certamen
install -d -m 0700 -o certamen -g certamen /var/lib/certamen /var/backups/certamen

# 2. Sus ajustes, que nadie más lee; los que ya están se quedan.
if [ ! -f /etc/certamen/certamen.env ]; then
  (umask 077; cat >/etc/certamen/certamen.env <<'FIN'
# Ajustes del sitio, uno por renglón. Un valor con signos va entre comillas simples. Los demás: docs/ajustes.md.
PORT=3000
HOST=127.0.0.1
PUBLIC_URL=https://certamen.ejemplo.mx
TRUSTED_PROXIES=1
#ADMIN_EMAIL=organizacion@certamen.ejemplo.mx
#SMTP_URL='smtps://usuario:clave@correo.ejemplo.mx'
#BACKUP_URL=/var/backups/certamen
#AVISO_URL=https://hc-ping.com/…
FIN
  )
  avisa 'Ajustes nuevos en /etc/certamen/certamen.env. Los pregunta y los prueba: certamen configurar'
fi

# 3. Esta versión, al lado de las que ya están.
version=$(sed -n 's/.*"version": "\([^"]*\)".*/\1/p' "$paquete/paquete.json")-$(sed -n 's/.*"construccion": "\([^"]\{12\}\).*/\1/p' "$paquete/paquete.json")
case $version in
  *[!0-9A-Za-z._-]* | .* | *..* | -*) falla 'paquete.json no dice una versión: este paquete no es de npm run empaquetar.' ;;
esac
lugar=/opt/certamen/$version
if [ ! -d "$lugar" ]; then
  rm -rf "$lugar.nuevo"
  cp -a "$paquete" "$lugar.nuevo"
  chown -R root:root "$lugar.nuevo"
  chmod -R u+rwX,go+rX,go-w "$lugar.nuevo"
  mv "$lugar.nuevo" "$lugar"
fi
antes=$(readlink /opt/certamen/actual 2>/dev/null || true)
apunta() {
  ln -sfn "$1" /opt/certamen/actual.nuevo
  mv -T /opt/certamen/actual.nuevo /opt/certamen/actual
}

# 4. La orden «certamen», para cualquier carpeta.
cat >/usr/local/bin/certamen.nuevo <<'FIN'
#!/bin/sh
# Las órdenes del sitio, con sus ajustes y con su cuenta: certamen respaldo, certamen cuentas listar…
set -eu
[ "$(id -u)" = 0 ] || { echo 'Hay que ser root: repite la orden con sudo.' >&2; exit 1; }
# Como lo lee systemd: un valor es lo que está escrito, no algo que el shell interprete.
while IFS= read -r renglon || [ -n "$renglon" ]; do
  case $renglon in
    [A-Za-z_]*=*) ;;
    *) continue ;;
  esac
  valor=${renglon#*=}
  case $valor in
    \'*\') valor=${valor#\'} valor=${valor%\'} ;;
    \"*\") valor=${valor#\"} valor=${valor%\"} ;;
  esac
  export "${renglon%%=*}=$valor"
done </etc/certamen/certamen.env
export DATA_DIR="${DATA_DIR:-/var/lib/certamen}"
orden=${1:-}
set -- setpriv --reuid=certamen --regid=certamen --init-groups -- /opt/certamen/actual/certamen "$@"
[ "$orden" = configurar ] || exec "$@"
# Pregunta y prueba con la cuenta del sitio; los ajustes los escribe root, y de esa cuenta no acepta más que estos cinco.
cinco="^(PUBLIC_URL|ADMIN_EMAIL|SMTP_URL|BACKUP_URL|AVISO_URL)='[^']*'\$"
ajustes=/etc/certamen/certamen.env
umask 077
# Ctrl-C termina las preguntas, no esto, que quita lo que dejaron a medias.
trap : INT
# Ningún descriptor del archivo sale de root: un proceso que quedara escribiría en él después de la revisión.
nuevo=$("$@" <$ajustes) || { printf '%s\n' "$nuevo" >&2; exit 1; }
printf '%s\n' "$nuevo" >$ajustes.nuevo
if LC_ALL=C grep -avxFf $ajustes $ajustes.nuevo | LC_ALL=C grep -aqvE "$cinco"; then
  echo 'No se guardó nada: la respuesta traía algo más que esos cinco ajustes.' >&2
  rm -f $ajustes.nuevo
  exit 1
fi
cp -p $ajustes $ajustes.antes
mv $ajustes.nuevo $ajustes
printf 'Guardado (lo de antes está en %s). ¿Reinicio el sitio ahora? (s/n) ' $ajustes.antes
read -r si
[ "$si" != s ] || systemctl restart certamen
FIN
chmod 0755 /usr/local/bin/certamen.nuevo
mv /usr/local/bin/certamen.nuevo /usr/local/bin/certamen

if [ $systemd = no ]; then
  apunta "$lugar"
  avisa "Instalada la versión $version, sin servicio. Arráncala con: certamen"
  exit 0
fi

# Las versiones que ya no hacen falta: no la que corre, ni la de antes, ni las que nombra el libro de versiones.
limpia() {
  for una in /opt/certamen/*; do
    [ ! -L "$una" ] && [ -f "$una/paquete.json" ] || continue
    [ "$una" != "$lugar" ] && [ "$una" != "$antes" ] || continue
    grep -qsF "\"$una\"" /var/lib/certamen/construcciones/libro.json && continue
    rm -rf "$una"
    avisa "Se quitó la versión ${una##*/}, que ya no hace falta."
  done
}

sano() {
  vez=0
  while [ $vez -lt 60 ]; do
    vez=$((vez + 1))
    /usr/local/bin/certamen sano && return 0
    sleep 2
  done
  return 1
}

# El diario de systemd no crece sin fin; quien ya le puso otro límite se queda con el suyo.
if [ ! -e /etc/systemd/journald.conf.d/certamen.conf ]; then
  install -d -m 0755 /etc/systemd/journald.conf.d
  printf '[Journal]\nSystemMaxUse=500M\n' >/etc/systemd/journald.conf.d/certamen.conf
  systemctl try-restart systemd-journald || true
fi

# 5. El servicio. Si ya corre otra versión que sabe cambiarse en marcha, ella misma hace la copia, el cambio y la vuelta.
if [ -n "$antes" ] && [ "$antes" != "$lugar" ] && systemctl is-active --quiet certamen && [ -S /var/lib/certamen/mando.sock ]; then
  certamen actualizar "$lugar" --copia /var/backups/certamen || falla "La versión $version no se puso (arriba dice por qué); sigue la de antes."
  apunta "$lugar"
  install -m 0644 "$lugar/deploy/certamen.service" /etc/systemd/system/certamen.service
  systemctl daemon-reload
  avisa "El sitio corre la versión $version, sin haber dejado de atender. Para volver: certamen actualizar --volver"
  limpia
  exit 0
fi
# Si no, una copia, y se arranca de nuevo; si la nueva no contesta, vuelve la de antes.
if [ -n "$antes" ] && [ "$antes" != "$lugar" ] && systemctl is-active --quiet certamen; then
  avisa 'Copia antes de actualizar…'
  certamen respaldo --a /var/backups/certamen || falla 'La copia no salió bien (arriba dice por qué): no se cambió nada.'
fi
apunta "$lugar"
install -m 0644 "$lugar/deploy/certamen.service" /etc/systemd/system/certamen.service
systemctl daemon-reload
systemctl enable --quiet certamen
if [ "$antes" = "$lugar" ] && systemctl is-active --quiet certamen; then
  avisa "La versión $version ya está en marcha."
  exit 0
fi
systemctl restart certamen
if sano; then
  avisa "El sitio está en marcha con la versión $version."
  [ "$antes" = "$lugar" ] || limpia
  exit 0
fi
if [ -n "$antes" ] && [ "$antes" != "$lugar" ]; then
  apunta "$antes"
  systemctl restart certamen
  falla "La versión $version no contestó: se volvió a la de antes. Mira por qué con: journalctl -u certamen -n 50"
fi
falla 'El sitio no contestó. Mira por qué con: journalctl -u certamen -n 50'
