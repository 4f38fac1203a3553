import QtQuick 2.0
import org.shotcut.qml 1.0

Metadata {
    type: Metadata.Filter
    name: "Backdrop"
    keywords: "background replace blur remove matte person backdrop"
    mlt_service: "frei0r.backdrop"
    objectName: "backdrop"
    qml: "ui.qml"
}
