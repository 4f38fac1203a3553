import QtQuick 2.12
import QtQuick.Controls 2.12
import QtQuick.Dialogs 1.2
import QtQuick.Layouts 1.12
import Shotcut.Controls 1.0 as Shotcut
import "parameters.js" as Parameters

Item {
    id: root

    // The text field that the file dialog fills.
    property var target: null

    // The value of a row's parameter; of a new filter the default, which is set only after the rows are made.
    function value(row) {
        return filter.isNew ? row.initial : row.form === "text" ? filter.get(row.property) : filter.getDouble(row.property);
    }

    width: 500
    height: 32 * Parameters.all.length + 16
    Component.onCompleted: {
        if (!filter.isNew)
            return;
        for (var i = 0; i < Parameters.all.length; ++i) filter.set(Parameters.all[i].property, Parameters.all[i].initial);
        filter.savePreset([]);
    }

    FileDialog {
        id: dialog

        folder: "file:///" + settings.openPath
        onAccepted: root.target.choose(decodeURIComponent(dialog.fileUrl.toString().replace("file://", "")))
    }

    ColumnLayout {
        anchors.fill: parent
        anchors.margins: 8

        Repeater {
            model: Parameters.all

            RowLayout {
                property var row: modelData

                Label {
                    text: row.title
                    horizontalAlignment: Text.AlignRight
                    Layout.preferredWidth: 140

                    Shotcut.HoverTip {
                        text: row.about
                    }
                }

                Slider {
                    visible: row.form === "number"
                    value: visible ? root.value(row) : 0
                    onMoved: {
                        filter.set(row.property, value);
                        shown.text = shown.words(value);
                    }
                    Layout.fillWidth: true
                }

                Label {
                    id: shown

                    function words(part) {
                        return Number((row.least + part * (row.most - row.least)).toPrecision(3));
                    }

                    visible: row.form === "number"
                    text: visible ? words(root.value(row)) : ""
                }

                CheckBox {
                    visible: row.form === "switch"
                    checked: visible && root.value(row) >= 0.5
                    onToggled: filter.set(row.property, checked ? 1 : 0)
                }

                ComboBox {
                    id: field

                    function choose(text) {
                        editText = text;
                        filter.set(row.property, text);
                    }

                    visible: row.form === "text"
                    editable: row.isFile !== undefined
                    model: row.choices || []
                    Layout.fillWidth: true
                    Component.onCompleted: {
                        if (!visible)
                            return;
                        currentIndex = find(root.value(row));
                        if (editable)
                            editText = root.value(row);
                    }
                    onActivated: choose(currentText)
                    onAccepted: choose(editText)
                }

                Button {
                    visible: row.isFile === true
                    text: "…"
                    onClicked: {
                        root.target = field;
                        dialog.open();
                    }
                }
            }
        }
    }
}
