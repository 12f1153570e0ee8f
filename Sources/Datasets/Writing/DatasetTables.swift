import Geometry
import SensorData

/// The CSV files of a recording. Columns, names and units are those of the dataset contract.
struct DatasetTables {
  private let contents: DatasetContents

  init(_ contents: DatasetContents) { self.contents = contents }

  /// All tables that the recording has data for, by their names in the folder.
  func files() throws(DatasetWritingError) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    func put(_ table: TableText?) { if let table { files[table.file] = table.bytes } }
    put(try inertial())
    put(try odometry())
    put(try ranges())
    put(try deviceEvents())
    for camera in contents.rig.cameras.indices {
      put(try features(of: camera))
      put(try frames(of: camera))
    }
    put(try truth())
    put(try peers())
    return files
  }

  /// One table of events; a column `arrival [ns]` where some arrived later than they were measured.
  private func table<Row>(
    _ file: String, _ columns: String, _ pick: (SensorEvent) -> Row?,
    _ row: (Row, inout TableText, (inout TableText) -> Void) throws(DatasetWritingError) -> Void
  ) throws(DatasetWritingError) -> TableText? {
    let rows = contents.events.compactMap { timed in pick(timed.event).map { (timed, $0) } }
    guard !rows.isEmpty else { return nil }
    let late = rows.contains { $0.0.arrival != $0.0.event.timestamp }
    var table = TableText(file: file, header: "#timestamp [ns]" + columns + (late ? ",arrival [ns]" : ""))
    for (timed, value) in rows {
      try row(value, &table) { table in
        if late { table.add(timed.arrival.nanoseconds) }
        table.endLine()
      }
    }
    return table
  }

  private func inertial() throws(DatasetWritingError) -> TableText? {
    try table("mav0/imu0/data.csv", Self.inertialColumns, { if case .imu(let sample) = $0 { sample } else { nil } }) {
      sample, table, end throws(DatasetWritingError) in
      table.add(sample.timestamp.nanoseconds)
      try table.add(sample)
      end(&table)
    }
  }

  private func odometry() throws(DatasetWritingError) -> TableText? {
    try table(
      "mav0/odometry0/data.csv", Self.poseColumns, { if case .odometry(let pose) = $0 { pose } else { nil } }
    ) { pose, table, end throws(DatasetWritingError) in
      table.add(pose.timestamp.nanoseconds)
      try table.add(pose.worldFromSensor)
      end(&table)
    }
  }

  private func deviceEvents() throws(DatasetWritingError) -> TableText? {
    try table(
      "mav0/events0/data.csv", ",event [],peer_id []", { if case .device(let event) = $0 { event } else { nil } }
    ) { event, table, end throws(DatasetWritingError) in
      table.add(event.timestamp.nanoseconds)
      table.add(event.name)
      table.add(event.peer ?? "")
      end(&table)
    }
  }

  private func ranges() throws(DatasetWritingError) -> TableText? {
    let pick: (SensorEvent) -> RangeMeasurement? = { if case .range(let range) = $0 { range } else { nil } }
    let columns = RangeColumn.all.filter { column in
      contents.events.contains { pick($0.event).map { column.cell($0) != nil } ?? false }
    }
    let header = ",peer_id [],range [m]" + columns.map { "," + $0.header }.joined()
    return try table("mav0/uwb0/data.csv", header, pick) { range, table, end throws(DatasetWritingError) in
      table.add(range.timestamp.nanoseconds)
      try table.add(range, columns)
      end(&table)
    }
  }

  private func frame(_ camera: Int) -> (SensorEvent) -> CameraFrame? {
    { if case .frame(let frame) = $0, frame.camera == camera { frame } else { nil } }
  }

  private func features(of camera: Int) throws(DatasetWritingError) -> TableText? {
    let columns = ",feature_id [],u [px],v [px]"
    return try table("mav0/cam\(camera)/features.csv", columns, frame(camera)) {
      frame, table, end throws(DatasetWritingError) in
      for feature in frame.features {
        table.add(frame.timestamp.nanoseconds)
        table.add(feature.featureID)
        try table.add(feature.u, decimals: contents.pixelDecimals)
        try table.add(feature.v, decimals: contents.pixelDecimals)
        end(&table)
      }
    }
  }

  private func frames(of camera: Int) throws(DatasetWritingError) -> TableText? {
    try table("mav0/cam\(camera)/frames.csv", ",mean_luma []", frame(camera)) {
      frame, table, end throws(DatasetWritingError) in
      table.add(frame.timestamp.nanoseconds)
      if let luma = frame.meanLuma { try table.add(luma, decimals: 4) } else { table.add("") }
      end(&table)
    }
  }

  private func truth() throws(DatasetWritingError) -> TableText? {
    guard !contents.truth.isEmpty else { return nil }
    let complete = contents.truth.allSatisfy {
      $0.velocity != nil && $0.gyroscopeBias != nil && $0.accelerometerBias != nil
    }
    var table = TableText(
      file: "mav0/state_groundtruth_estimate0/data.csv",
      header: "#timestamp [ns]" + Self.poseColumns + (complete ? Self.stateColumns : ""))
    for state in contents.truth {
      table.add(state.timestamp.nanoseconds)
      try table.add(state.worldFromBody)
      if complete, let velocity = state.velocity, let gyroscope = state.gyroscopeBias,
        let accelerometer = state.accelerometerBias
      {
        try table.add(velocity, decimals: 6)
        try table.add(gyroscope, decimals: 8)
        try table.add(accelerometer, decimals: 6)
      }
      table.endLine()
    }
    return table
  }

  private func peers() throws(DatasetWritingError) -> TableText? {
    guard !contents.peers.isEmpty else { return nil }
    var table = TableText(
      file: "mav0/peers_groundtruth0/data.csv",
      header: "#timestamp [ns]" + Self.peerColumns)
    for peer in contents.peers {
      table.add(peer.timestamp.nanoseconds)
      table.add(peer.peer)
      try table.add(peer.position, decimals: 6)
      table.endLine()
    }
    return table
  }

  static let inertialColumns =
    ",w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1]"
    + ",a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]"
  static let peerColumns = ",peer_id [],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m]"
  static let poseColumns =
    ",p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []"
  private static let stateColumns =
    ",v_RS_R_x [m s^-1],v_RS_R_y [m s^-1],v_RS_R_z [m s^-1]"
    + ",b_w_RS_S_x [rad s^-1],b_w_RS_S_y [rad s^-1],b_w_RS_S_z [rad s^-1]"
    + ",b_a_RS_S_x [m s^-2],b_a_RS_S_y [m s^-2],b_a_RS_S_z [m s^-2]"
}
